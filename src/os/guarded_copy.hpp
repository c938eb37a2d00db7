// Copying memory that another process may take away meanwhile: an access then raises SIGBUS or SIGSEGV, and that ends
// the copy instead of the process.
#pragma once

#include <signal.h>

#include <cstddef>
#include <cstdint>

namespace weft::os {

/// Which side of a copy turned out not to be there.
enum class Fault : std::uint8_t { kNone, kTo, kFrom };

/// Copies as memcpy does, and may be left at any instruction.
using Copying = void (*)(void* to, const void* from, std::size_t bytes);

/// `copying` does it; bytes may be 0. After a fault the target holds anything. Takes that the handler of both signals
/// calls end_guarded_copy().
Fault guarded_copy(void* to, const void* from, std::size_t bytes, Copying copying) noexcept;

/// For the handler of SIGSEGV and SIGBUS, before all else: does not return where a guarded copy of this thread ran into
/// the fault.
void end_guarded_copy(const siginfo_t& fault) noexcept;

}  // namespace weft::os
