#include "rma/lock.hpp"

#include <type_traits>

#include "rma/atomics.hpp"
#include "rma/notes.hpp"
#include "rma/order.hpp"
#include "sync/ticket_lock.hpp"

namespace weft::rma {
namespace {

template <class T>
using LockOf = std::conditional_t<sizeof(T) == 8, sync::TicketLock, sync::SmallTicketLock>;

template <class T>
LockOf<T> lock_of(T* lock) noexcept {
  need_symmetric(lock, sizeof *lock, "lock");
  const heap::Window& window = node().window;
  const auto at = reinterpret_cast<std::uintptr_t>(lock);
  // Counted from the part's own start: the distance of heap and static data differs between PEs under ASLR.
  const std::uintptr_t offset = window.heap().holds(at) ? at - window.heap().lo : at - window.statics().lo;
  const int home = static_cast<int>(offset / sizeof *lock % static_cast<unsigned>(node().n_pes));
  return LockOf<T>(atomic_at(lock, home, "lock"), shared_head(node().job).lock_sleepers);
}

template <class T>
void set(T* lock) noexcept {
  lock_of(lock).lock(node().patience, {kLockNote, lock});
  note_held(lock);
}

template <class T>
bool test(T* lock) noexcept {
  const bool taken = lock_of(lock).try_lock();
  if (taken) {
    note_held(lock);
  }
  return taken;
}

template <class T>
void clear(T* lock) noexcept {
  LockOf<T> word = lock_of(lock);
  if (!word.held()) {
    base::fail(current_call(), "the lock at %p is not held by anybody; set it first, and initialise locks to 0",
               static_cast<void*>(lock));
  }
  quiet();
  note_released(lock);
  word.unlock();
}

}  // namespace

void set_lock(long* lock) noexcept { set(lock); }
void set_lock(int* lock) noexcept { set(lock); }

bool test_lock(long* lock) noexcept { return test(lock); }
bool test_lock(int* lock) noexcept { return test(lock); }

void clear_lock(long* lock) noexcept { clear(lock); }
void clear_lock(int* lock) noexcept { clear(lock); }

}  // namespace weft::rma
