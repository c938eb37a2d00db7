// Locks this PE holds.
#pragma once

#include "interpose/invocation.hpp"

namespace weft::check {

using interpose::Invocation;

/// Reports a wait for a lock that this thread holds, and the release of one that this PE does not hold.
void before_lock(const Invocation& call) noexcept;
void after_lock(const Invocation& call, bool taken) noexcept;

/// Last finalize: reports locks that are held still.
void close_locks() noexcept;

}  // namespace weft::check
