// Locks and critical sections. The words of a lock are the program's memory; where its processes have that by pages,
// its address is the lock's name, under which process 0 keeps who holds it, and the words stay as they are.
#pragma once

#include "omp/sync/mutex.hpp"

namespace weft::omp {

void lock(Mutex& mutex, ThreadWaits why, const void* site) noexcept;
bool try_lock(Mutex& mutex) noexcept;
/// Of a lock of omp.h others may see whether it is free, without waiting for it.
enum class Shows : bool { kNobody, kTests };
void unlock(Mutex& mutex, Shows shows = Shows::kNobody) noexcept;

/// Of a nested lock, what stands beside the mutex.
struct Nest {
  int count;
  void* owner;
};
/// This process's of the lock at that address, where the words are not used; null: they are.
Nest* far_nest(const void* lock) noexcept;
/// The lock is no more.
void forget_lock(const void* lock) noexcept;

}  // namespace weft::omp
