// Safe mode of shared memory: what is not in use is closed, so that an access to it is a fault, and the job ends with a
// line that tells whose block it was.
//
// What a PE gives back it closes at once; others close it when they acquire, as only then an access of theirs is behind
// that (record 0149). What is in use may be closed too, as it was given back and given again, or was never touched:
// then it opens when it is touched.
#pragma once

#include <cstdint>

#include "base/result.hpp"
#include "dsm/state.hpp"

namespace weft::dsm {

/// In the way kMemory, once the range is mapped: all of it is closed. Others' faults are still the caller's to get.
base::Result<void> close_memory() noexcept;
/// A fault in the way kMemory, where memory was closed: false, it is none of these.
bool open_memory(std::uintptr_t at, std::uintptr_t instruction) noexcept;

/// In a forked child, which has no book to go by.
void open_after_fork() noexcept;

/// Of all PEs, what was given back since the last time.
void close_returned() noexcept;
/// The same, where nothing is to be done without safe mode.
inline void close_returned_if_safe() noexcept {
  if (g.safe) [[unlikely]] {
    close_returned();
  }
}

/// When the range ends: a next one begins anew.
void forget_returned() noexcept;

/// By the book.
bool is_used(std::uint32_t page) noexcept;
/// A load or a store, which has no caller to be told, came to a place where nothing is in use. `instruction` may be 0.
[[noreturn]] void fail_unused(std::uintptr_t at, std::uintptr_t instruction) noexcept;
/// In safe mode, for what does not go by the program's own view of memory: ends the job where nothing is in use.
void need_used(const char* what, const void* at) noexcept;

}  // namespace weft::dsm
