// Asking for cache lines ahead of the stores that want them.
#pragma once

namespace weft::coll {

/// Lines that this member will write soon, which others have read: their coming does not hold up the stores behind
/// them, as that of a line which a store waits for does.
inline void expect_to_write(const void* line) noexcept {
#if defined(__x86_64__)
  __asm__ __volatile__("prefetchw %0" : : "m"(*static_cast<const char*>(line)));
#else
  __builtin_prefetch(line, 1);
#endif
}

}  // namespace weft::coll
