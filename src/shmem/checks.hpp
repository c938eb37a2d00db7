// What every operation is checked for before the core gets it, which checks nothing. Who fails a check ends with a
// line.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "job/node.hpp"

namespace weft::shmem {

/// Between the first init and the last finalize. Atomic because shmem_query_initialized may be called at any time from
/// any thread. Hidden: every routine reads it, by one instruction.
[[gnu::visibility("hidden")]] extern constinit std::atomic<bool> g_ready;

// Relaxed, both: nothing else is learnt from it.
inline bool ready() noexcept { return g_ready.load(std::memory_order_relaxed); }
inline void set_ready(bool now) noexcept { g_ready.store(now, std::memory_order_relaxed); }

[[noreturn, gnu::cold]] void fail_not_ready() noexcept;
[[noreturn, gnu::cold]] void fail_no_such_pe(int pe) noexcept;
[[noreturn, gnu::cold]] void fail_too_many(std::size_t count, std::size_t size) noexcept;

/// The library is initialised, or the program ends with a line that says so.
inline void need_ready() noexcept {
  if (!ready()) [[unlikely]] {
    fail_not_ready();
  }
}

/// pe exists, or the program ends.
inline void need_pe(int pe) noexcept {
  if (static_cast<unsigned>(pe) >= static_cast<unsigned>(job::node().n_pes)) [[unlikely]] {
    fail_no_such_pe(pe);
  }
}

/// Address of pe's copy of [address, address + bytes), which is symmetric; else the program ends with a line that
/// names the argument. Null: it is on another node, and only the network reaches it. bytes > 0.
void* peer(const void* address, std::size_t bytes, int pe, const char* argument) noexcept;

/// A symmetric object of this PE.
void need_symmetric(const void* address, std::size_t bytes, const char* argument) noexcept;

/// A private or symmetric buffer that must not be null. bytes > 0.
void need_buffer(const void* address, std::size_t bytes, const char* argument) noexcept;

/// count * size, or the program ends: no object is that large.
inline std::size_t bytes_of(std::size_t count, std::size_t size) noexcept {
  std::size_t bytes = 0;
  if (__builtin_mul_overflow(count, size, &bytes)) [[unlikely]] {
    fail_too_many(count, size);
  }
  return bytes;
}

[[noreturn, gnu::cold]] void misaligned(const void* address, std::size_t alignment, const char* argument) noexcept;

template <class T>
void need_aligned(const T* address, const char* argument) noexcept {
  if (reinterpret_cast<std::uintptr_t>(address) % sizeof(T) != 0) [[unlikely]] {
    misaligned(address, sizeof(T), argument);
  }
}

}  // namespace weft::shmem
