#include "dsm/order.hpp"

#include <algorithm>
#include <atomic>
#include <mutex>

#include "base/lines.hpp"
#include "coll/barrier.hpp"
#include "dsm/closed.hpp"
#include "dsm/counts.hpp"
#include "dsm/elsewhere.hpp"
#include "dsm/homes.hpp"
#include "dsm/notes.hpp"
#include "dsm/pages.hpp"
#include "dsm/parts.hpp"
#include "dsm/questions.hpp"
#include "dsm/state.hpp"
#include "dsm/waits.hpp"
#include "dsm/words.hpp"
#include "job/node.hpp"
#include "job/notes.hpp"
#include "job/shared_area.hpp"
#include "os/clock.hpp"
#include "sync/waiter.hpp"

namespace weft::dsm {
namespace {

using Word = std::atomic_ref<std::uint32_t>;

constexpr sync::WaitNote::Writer kNoteOfLock = {
    [](const void* lock, std::uint64_t /*ticket*/) noexcept {
      const std::uint64_t offset = offset_in_range(lock, 1);
      const auto page = static_cast<std::uint32_t>(offset / kPageBytes);
      return job::begin_wait({.why = boot::Waiting::kLock,
                              .root = g.way == Way::kMemory ? -1 : known_home(page),
                              .given = reinterpret_cast<std::uintptr_t>(lock),
                              .place = place_of_lock(offset)});
    },
    job::looked_in_vain, job::end_wait};

// Of wait_for_all(): once in the life of a program.
constinit std::mutex g_settling;
constinit std::atomic<bool> g_all_is_waited_for = false;

// What that PE has told, or is owed, has come; both ways. What is owed there is told soon: by a message, by its next
// release, or by its heartbeat. Between two questions it is left alone, for longer and longer.
void settle_with(int pe) noexcept {
  constexpr std::uint64_t kFirstPauseNs = 50'000;
  constexpr std::uint64_t kLongestPauseNs = 5'000'000;
  for (std::uint64_t pause = kFirstPauseNs;; pause = std::min(2 * pause, kLongestPauseNs)) {
    Question question{};
    question.a = told_along(pe);
    const Reply reply = ask_and_wait(pe, kSettle, question);
    if (reply.b != 0 && heard_along(pe) >= reply.a) {
      return;
    }
    const std::uint64_t until = os::now_ns() + pause;
    wait_until([&] { return os::now_ns() >= until; });
  }
}

}  // namespace

bool may_be_owed() noexcept {
  // Acquire: pairs with the store below, behind all that has come.
  return g.way != Way::kMemory && several_nodes() && !g_all_is_waited_for.load(std::memory_order_acquire);
}

void wait_for_all() noexcept {
  if (!may_be_owed()) {
    return;
  }
  const std::scoped_lock lock(g_settling);
  if (g_all_is_waited_for.load(std::memory_order_relaxed)) {
    return;
  }
  base::debug("the program has threads of its own: announcements of pages are waited for from here on");
  (void)settle(g.me, 0);
  g_pages->release();
  for (int pe = 0; pe < g.n_pes; ++pe) {
    if (job::g_node.here(pe) < 0) {
      settle_with(pe);
    }
  }
  g_all_is_waited_for.store(true, std::memory_order_release);
}

sync::WaitNote note_of_lock(std::uint64_t lock) noexcept {
  return {kNoteOfLock, reinterpret_cast<const void*>(g.base + lock)};
}

LockWords* words_of(std::uint64_t lock, int* home) noexcept {
  *home = g.me;
  if (g.way == Way::kMemory) {
    return reinterpret_cast<LockWords*>(g.base + lock);
  }
  *home = g_pages->home_of(static_cast<std::uint32_t>(lock / kPageBytes));
  const Part* const part = part_of(*home);
  return part == nullptr ? nullptr : reinterpret_cast<LockWords*>(part->contents + lock);
}

bool is_turn(const LockWords& words, std::uint32_t ticket) noexcept {
  // Acquire: pairs with the release of who held it before.
  return Word(const_cast<std::uint32_t&>(words.serving)).load(std::memory_order_acquire) == ticket;
}

void hold(LockWords& words, int pe) noexcept {
  Word(words.holder).store(static_cast<std::uint32_t>(pe) + 1, std::memory_order_relaxed);
}

void wait_for_turn(const LockWords& words, std::uint32_t ticket, std::uint64_t lock) noexcept {
  if (is_turn(words, ticket)) {
    return;
  }
  const Timed timed(Count::kLockTime);
  count_if_recorded(Count::kLocksWaitedFor);
  const job::Node& node = job::node();
  sync::wait(coll::patience(), node.value_bell(node.local), &job::shared_head(node.job).value_sleepers,
             note_of_lock(lock), [&] { return is_turn(words, ticket); });
}

std::uint32_t draw_ticket(LockWords& words) noexcept {
  // Relaxed: the turn orders what follows.
  return Word(words.next).fetch_add(1, std::memory_order_relaxed);
}

bool try_words(LockWords& words, int pe) noexcept {
  // Acquire: pairs with the release of who held it before. What is not there to be taken shows as a ticket that is not
  // the one served.
  std::uint32_t serving = Word(words.serving).load(std::memory_order_acquire);
  if (!Word(words.next)
           .compare_exchange_strong(serving, serving + 1, std::memory_order_acquire, std::memory_order_relaxed)) {
    return false;
  }
  hold(words, pe);
  return true;
}

std::uint32_t give_words_back(LockWords& words, int pe) noexcept {
  const std::uint32_t holder = Word(words.holder).load(std::memory_order_relaxed);
  if (holder != static_cast<std::uint32_t>(pe) + 1) {
    return holder;
  }
  Word(words.holder).store(0, std::memory_order_relaxed);
  // Release: what was written under the lock is seen by who takes it next. The fence is for who may lie down.
  Word(words.serving).fetch_add(1, std::memory_order_release);
  std::atomic_thread_fence(std::memory_order_seq_cst);
  job::wake_sleepers();
  return holder;
}

void barrier(Site site) noexcept {
  const bool pages = g.way == Way::kPages;
  if (pages) {
    release();
  }
  {
    // Of one memory it orders stores and loads by itself, as each PE's arrival is a release, of stores past the caches
    // too, and leaving an acquire.
    const Timed timed(Count::kBarrierTime);
    coll::barrier();
  }
  if (pages || g.safe) {
    acquire(site);
  }
  count_if_recorded(Count::kBarriers);
}

void* from(int pe, void* pointer) noexcept {
  void* const word = reinterpret_cast<void*>(g.base);  // of the page that no program is given
  if (pe == g.me) {
    (void)operate(word, 0, {Op::kStore, sizeof pointer, reinterpret_cast<std::uintptr_t>(pointer)});
  }
  barrier();
  const std::uint64_t given = operate(word, 0, {Op::kLoad, sizeof pointer});
  barrier();  // before the next one writes
  return reinterpret_cast<void*>(given);
}

// One memory: what is stored is there for all, and only its order counts.
void release(int owed_to) noexcept {
  if (g.way == Way::kMemory) {
    std::atomic_thread_fence(std::memory_order_seq_cst);
    return;
  }
  come_from_outside();
  const Timed timed(Count::kOrderTime);
  g_pages->release(false, owed_to);
}
void acquire(Site site, bool locked) noexcept {
  close_returned_if_safe();
  if (g.way == Way::kMemory) {
    std::atomic_thread_fence(std::memory_order_seq_cst);
    return;
  }
  come_from_outside();
  const Timed timed(Count::kOrderTime);
  g_pages->acquire(site, locked);
}
void begin_interval(Site site) noexcept {
  if (g.way == Way::kPages && site != 0) {
    const Timed timed(Count::kOrderTime);
    g_pages->begin_interval(site);
  }
}

bool is_released() noexcept {
  come_from_outside();
  return g.way == Way::kMemory || g_pages->is_released();
}
bool is_acquired() noexcept {
  come_from_outside();
  return g.way == Way::kMemory || g_pages->is_acquired();
}

void enter(std::uint64_t lock, Site site) noexcept {
  job::note_held(place_of_lock(lock));
  count_if_recorded(Count::kLocks);
  acquire(site, true);
}

void take_lock(std::uint64_t lock, Site site) noexcept {
  int home = 0;
  LockWords* const words = words_of(lock, &home);
  if (words == nullptr) {
    const Timed timed(Count::kLockTime);
    take_lock_elsewhere(home, lock, note_of_lock(lock));
    count_if_recorded(Count::kLocksWaitedFor);
  } else {
    wait_for_turn(*words, draw_ticket(*words), lock);
    hold(*words, g.me);
  }
  enter(lock, site);
}

bool try_lock(std::uint64_t lock, Site site) noexcept {
  int home = 0;
  LockWords* const words = words_of(lock, &home);
  const bool taken = words == nullptr ? try_lock_elsewhere(home, lock) : try_words(*words, g.me);
  if (taken) {
    enter(lock, site);
  }
  return taken;
}

std::uint32_t give_lock_back(std::uint64_t lock) noexcept {
  int home = 0;
  LockWords* const words = words_of(lock, &home);
  release();
  // Before others may have it, who note it then.
  job::note_released(place_of_lock(lock));
  const std::uint32_t holder = words == nullptr ? give_lock_back_elsewhere(home, lock) : give_words_back(*words, g.me);
  if (holder != static_cast<std::uint32_t>(g.me) + 1) {
    return holder == 0 ? kNobody : holder;
  }
  // Those of other nodes are told by the lock's home. seq_cst: pairs with who has drawn a ticket for one of them.
  if (words != nullptr && Word(words->elsewhere).load(std::memory_order_seq_cst) != 0) {
    tell_waiting_elsewhere(home);
  }
  return 0;
}

}  // namespace weft::dsm
