// Distributed locks (OpenSHMEM 1.6, section 9.13): what is checked of them before lock/ gets them.
#pragma once

#include "base/lines.hpp"
#include "lock/lock.hpp"
#include "shmem/checks.hpp"
#include "shmem/wait.hpp"

namespace weft::shmem::checked {

template <class T>
void need_lock(const T* lock) noexcept {
  need_symmetric(lock, sizeof *lock, "lock");
  need_aligned(lock, "lock");
}

template <class T>
void set_lock(T* lock) noexcept {
  need_lock(lock);
  lock::set(lock);
}

/// True when taken.
template <class T>
bool test_lock(T* lock) noexcept {
  need_lock(lock);
  const bool taken = lock::test(lock);
  if (!taken) {
    after_failed_test();
  }
  return taken;
}

template <class T>
void clear_lock(T* lock) noexcept {
  need_lock(lock);
  if (!lock::clear(lock)) {
    base::fail(job::current_call(), "the lock at %p is not held by anybody; set it first, and initialise locks to 0",
               static_cast<void*>(lock));
  }
}

}  // namespace weft::shmem::checked
