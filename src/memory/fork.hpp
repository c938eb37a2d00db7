// fork() in a PE. The child is not a PE, but it would share its parent's static data, where that is mapped shared, and
// memory of windows that was adopted: every variable the child changes would change in the parent. So the child gets a
// private copy, as after any fork.
// vfork and posix_spawn need nothing: their children only exec. The symmetric heap stays shared.
#pragma once

#include "memory/adopted.hpp"
#include "memory/space.hpp"

namespace weft::memory {

/// Once, for a job of several PEs. child_hook runs in each forked child and makes the library refuse further calls.
void watch_forks(Space& space, Adopted& adopted, void (*child_hook)()) noexcept;

}  // namespace weft::memory
