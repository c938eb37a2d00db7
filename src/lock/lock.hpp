// Distributed locks on one `long` of symmetric memory, or for Fortran, whose locks are default INTEGERs, on one `int`.
// A word is used as the one or as the other, not as both.
//
// One PE's copy of the word is the lock; which one follows from the address, so that a program's locks are spread
// over the PEs. First come, first served among all PEs and their threads (sync/ticket_lock.hpp). Where atomic
// operations of the network and of the processor must not be mixed, the word only names a lock that migrates
// (lock/migrating.hpp).
//
// Words are symmetric and aligned: the caller has checked that.
#pragma once

namespace weft::lock {

/// The PE whose copy is the lock.
template <class T>
int home_of(const T* lock) noexcept;

template <class T>
void set(T* lock) noexcept;
/// True when taken.
template <class T>
bool test(T* lock) noexcept;
/// Completes this PE's earlier operations, then passes the lock on. False: nobody holds it.
template <class T>
bool clear(T* lock) noexcept;

}  // namespace weft::lock
