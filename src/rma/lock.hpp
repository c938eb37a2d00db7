// Distributed locks (OpenSHMEM 1.6, section 9.13) on one `long` of symmetric memory.
//
// One PE's copy of the word is the lock; which one follows from the address, so that a program's locks are spread
// over the PEs. First come, first served among all PEs and their threads (sync/ticket_lock.hpp).
#pragma once

namespace weft::rma {

void set_lock(long* lock) noexcept;
/// True when taken.
bool test_lock(long* lock) noexcept;
/// Completes this PE's earlier operations, then passes the lock on.
void clear_lock(long* lock) noexcept;

}  // namespace weft::rma
