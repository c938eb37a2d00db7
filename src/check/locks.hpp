// Locks this PE holds.
#pragma once

#include <cstddef>
#include <cstdint>

#include "interpose/invocation.hpp"

namespace weft::check {

using interpose::Invocation;

/// Reports a lock that was not set to 0 before its first use, a wait for one that this thread holds, and the release of
/// one that this PE does not hold.
void before_lock(const Invocation& call) noexcept;
void after_lock(const Invocation& call, bool taken) noexcept;

/// A block is the program's no longer: what has the same address next is another lock.
void forget_locks(std::uintptr_t at, std::size_t bytes) noexcept;

/// Last finalize: reports locks that are held still.
void close_locks() noexcept;

}  // namespace weft::check
