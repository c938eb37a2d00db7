// Ways to copy memory, each the best on some machine at some size.
#pragma once

#include <cstddef>

namespace weft::copy {

/// Copies bytes, which may be 0; the two do not overlap.
using Routine = void (*)(void* to, const void* from, std::size_t bytes);

/// The C library's memcpy.
void libc(void* to, const void* from, std::size_t bytes) noexcept;

#if defined(__x86_64__)
/// One instruction of the processor's microcode.
void rep_movsb(void* to, const void* from, std::size_t bytes) noexcept;
/// Loops of vector registers; the stores are aligned.
void avx2(void* to, const void* from, std::size_t bytes) noexcept;
void avx512(void* to, const void* from, std::size_t bytes) noexcept;
/// Stores that go round the caches: the target is not read first, and is in memory afterwards.
void streaming(void* to, const void* from, std::size_t bytes) noexcept;
#endif

}  // namespace weft::copy
