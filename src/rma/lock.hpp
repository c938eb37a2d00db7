// Distributed locks (OpenSHMEM 1.6, section 9.13) on one `long` of symmetric memory; for
// Fortran, whose locks are default INTEGERs, on one `int`. A word is used as the one or as the other, not as both.
//
// One PE's copy of the word is the lock; which one follows from the address, so that a program's locks are spread
// over the PEs. First come, first served among all PEs and their threads (sync/ticket_lock.hpp). Where atomic
// operations of the network and of the processor must not be mixed, the word only names a lock that migrates
// (rma/migrating_lock.hpp).
#pragma once

namespace weft::rma {

/// The PE whose copy is the lock.
int lock_home(const long* lock) noexcept;

void set_lock(long* lock) noexcept;
void set_lock(int* lock) noexcept;
/// True when taken.
bool test_lock(long* lock) noexcept;
bool test_lock(int* lock) noexcept;
/// Completes this PE's earlier operations, then passes the lock on.
void clear_lock(long* lock) noexcept;
void clear_lock(int* lock) noexcept;

}  // namespace weft::rma
