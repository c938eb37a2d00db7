#include "rma/lock.hpp"

#include "rma/atomics.hpp"
#include "rma/order.hpp"
#include "sync/ticket_lock.hpp"

namespace weft::rma {
namespace {

sync::TicketLock lock_of(long* lock) noexcept {
  need_symmetric(lock, sizeof *lock, "lock");
  const heap::Window& window = node().window;
  const auto at = reinterpret_cast<std::uintptr_t>(lock);
  // Counted from the part's own start: the distance of heap and static data differs between PEs under ASLR.
  const std::uintptr_t offset = window.heap().holds(at) ? at - window.heap().lo : at - window.statics().lo;
  const int home = static_cast<int>(offset / sizeof *lock % static_cast<unsigned>(node().n_pes));
  return sync::TicketLock(atomic_at(lock, home, "lock"));
}

}  // namespace

void set_lock(long* lock) noexcept { lock_of(lock).lock(node().patience, node().note(boot::Waiting::kLock)); }

bool test_lock(long* lock) noexcept { return lock_of(lock).try_lock(); }

void clear_lock(long* lock) noexcept {
  sync::TicketLock word = lock_of(lock);
  if (!word.held()) {
    base::fail(current_call(), "the lock at %p is not held by anybody; set it first, and initialise locks to 0",
               static_cast<void*>(lock));
  }
  quiet();
  word.unlock();
}

}  // namespace weft::rma
