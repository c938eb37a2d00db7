// Whether the program of a PE is still the one that called shmem_init, for who looks at it from outside.
#pragma once

#include "boot/job.hpp"

namespace weft::boot {

/// In the PE's main thread. The kernel takes note when the program is replaced by exec, or the thread ends, because the
/// PE holds a lock that it never gives up: what the threads of a process hold is let go of then, and marked, while a
/// forked child holds nothing. In another thread it does nothing, for that may end while the program goes on.
void show_presence(PeRecord& record) noexcept;

/// The kernel has taken note. Anybody may have written there, so it is a reason to look more closely.
bool seems_replaced(const PeRecord& record) noexcept;

}  // namespace weft::boot
