// Which process is which, and why one may not reach into another.
#pragma once

#include <cstdint>

#include "reach/card.hpp"
#include "reach/reason.hpp"
#include "reach/systems.hpp"

namespace weft::reach {

/// When a process started, in the kernel's ticks since the machine did; 0 where there is none, or only its remains.
std::uint64_t start_of(std::int32_t pid) noexcept;

/// The number of a namespace of this process: "user" or "pid". 0: not known.
std::uint64_t space_of_own(const char* kind) noexcept;

/// What yama allows: 0 where the kernel has none.
int ptrace_scope(const Systems& systems) noexcept;

/// Whether this process may not even reach into itself, which a filter of system calls alone can do.
Reason try_on_self() noexcept;

/// Whether the process of the card is there: kNothing, kGone, kPidSpace, kOtherProcess.
Reason still_there(const Card& card) noexcept;

/// What makes the kernel answer EPERM for the process of the card, as far as it can be found out.
Reason why_refused(const Card& card, const Systems& systems, int error) noexcept;

}  // namespace weft::reach
