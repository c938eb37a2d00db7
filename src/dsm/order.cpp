#include "dsm/order.hpp"

#include <atomic>

#include "base/lines.hpp"
#include "coll/barrier.hpp"
#include "dsm/state.hpp"
#include "dsm/words.hpp"
#include "job/node.hpp"
#include "job/notes.hpp"
#include "job/shared_area.hpp"
#include "sync/waiter.hpp"

namespace weft::dsm {
namespace {

using Word = std::atomic_ref<std::uint32_t>;

// Where this processor changes the lock's words.
LockWords& words_of(LockWords* lock) noexcept {
  if (!holds(lock, sizeof *lock) || reinterpret_cast<std::uintptr_t>(lock) % alignof(LockWords) != 0) {
    base::fail(
        job::current_call(),
        "lock: %p does not lie in shared memory; a lock is a weft_shared_lock_t in memory from weft_shared_malloc "
        "and the like",
        static_cast<void*>(lock));
  }
  return *lock;
}

void wait_for_turn(LockWords& words, std::uint32_t ticket, const void* lock) noexcept {
  const job::Node& node = job::node();
  const sync::WaitNote note(job::kLockNote<sizeof(std::uint32_t)>, lock);
  // Acquire: pairs with the release of who held it before.
  sync::wait(coll::patience(), node.value_bell(node.local), &job::shared_head(node.job).value_sleepers, note,
             [&] { return Word(words.serving).load(std::memory_order_acquire) == ticket; });
}

}  // namespace

void barrier() noexcept { coll::barrier(); }

void* from(int pe, void* pointer) noexcept {
  void* const word = reinterpret_cast<void*>(g.base);  // of the page that no program is given
  if (pe == g.me) {
    (void)operate(word, {Op::kStore, sizeof pointer, reinterpret_cast<std::uintptr_t>(pointer)});
  }
  barrier();
  const std::uint64_t given = operate(word, {Op::kLoad, sizeof pointer});
  barrier();  // before the next one writes
  return reinterpret_cast<void*>(given);
}

// One memory: what is stored is there for all, and only its order counts.
void release() noexcept { std::atomic_thread_fence(std::memory_order_seq_cst); }
void acquire() noexcept { std::atomic_thread_fence(std::memory_order_seq_cst); }

void take_lock(LockWords* lock) noexcept {
  LockWords& words = words_of(lock);
  // Relaxed: the turn orders what follows.
  const std::uint32_t ticket = Word(words.next).fetch_add(1, std::memory_order_relaxed);
  wait_for_turn(words, ticket, lock);
  Word(words.holder).store(static_cast<std::uint32_t>(g.me) + 1, std::memory_order_relaxed);
}

bool try_lock(LockWords* lock) noexcept {
  LockWords& words = words_of(lock);
  // Acquire: as above. What is not there to be taken shows as a ticket that is not the one served.
  std::uint32_t serving = Word(words.serving).load(std::memory_order_acquire);
  if (!Word(words.next)
           .compare_exchange_strong(serving, serving + 1, std::memory_order_acquire, std::memory_order_relaxed)) {
    return false;
  }
  Word(words.holder).store(static_cast<std::uint32_t>(g.me) + 1, std::memory_order_relaxed);
  return true;
}

void give_lock_back(LockWords* lock) noexcept {
  LockWords& words = words_of(lock);
  const std::uint32_t holder = Word(words.holder).load(std::memory_order_relaxed);
  if (holder == 0) {
    base::fail(job::current_call(), "lock: nobody holds the lock at %p; take it before", static_cast<void*>(lock));
  }
  if (holder != static_cast<std::uint32_t>(g.me) + 1) {
    base::fail(job::current_call(), "lock: PE %u holds the lock at %p; who takes a lock gives it back", holder - 1,
               static_cast<void*>(lock));
  }
  Word(words.holder).store(0, std::memory_order_relaxed);
  // Release: what was written under the lock is seen by who takes it next. The fence is for who may lie down.
  Word(words.serving).fetch_add(1, std::memory_order_release);
  std::atomic_thread_fence(std::memory_order_seq_cst);
  job::wake_sleepers();
}

}  // namespace weft::dsm
