// Whether the program of a PE is still the one that called shmem_init, for who looks at it from outside.
#pragma once

#include "boot/job.hpp"

namespace weft::boot {

/// The kernel takes note when the program is replaced by exec, or the calling thread ends, because that holds a lock
/// which it never gives up: what the threads of a process hold is let go of then, and marked, while a forked child
/// holds nothing. A library that is loaded late may be loaded by a thread that ends while the program goes on.
void show_presence(PeRecord& record) noexcept;

/// The kernel has taken note, or anybody has written there, so it is a reason to look more closely.
bool seems_replaced(const PeRecord& record) noexcept;

}  // namespace weft::boot
