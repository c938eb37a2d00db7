#include "rma/lock.hpp"

#include <type_traits>

#include "os/clock.hpp"
#include "rma/atomics.hpp"
#include "rma/lock_table.hpp"
#include "rma/notes.hpp"
#include "rma/order.hpp"
#include "rma/wait.hpp"
#include "sync/ticket_lock.hpp"

namespace weft::rma {
namespace {

template <class T>
using LockOf = std::conditional_t<sizeof(T) == 8, sync::TicketLock, sync::SmallTicketLock>;

// All PEs mean one word by a lock: that of its home PE.
template <class T>
int home_of(const T* lock) noexcept {
  need_symmetric(lock, sizeof *lock, "lock");
  const heap::Window& window = node().window;
  const auto at = reinterpret_cast<std::uintptr_t>(lock);
  // Counted from the part's own start: the distance of heap and static data differs between PEs under ASLR.
  const std::uintptr_t offset = window.heap().holds(at) ? at - window.heap().lo : at - window.statics().lo;
  return static_cast<int>(offset / sizeof *lock % static_cast<unsigned>(node().n_pes));
}

/// The same lock (sync/ticket_lock.hpp) taken through the network: first come, first served among all.
template <class T>
class FarTicketLock {
  using Word = std::make_unsigned_t<T>;
  using Half = std::conditional_t<sizeof(T) == 8, std::uint32_t, std::uint16_t>;
  static constexpr int kBits = 8 * sizeof(Half);
  static constexpr Word kOneTicket = Word{1} << kBits;

 public:
  FarTicketLock(T* lock, int home) noexcept : word_(reinterpret_cast<Word*>(lock)), home_{home} {}

  void lock(const sync::Patience& patience, const sync::WaitNote& note) noexcept {
    const Word before = fetching<Op::kAdd>(word_, home_, kOneTicket);
    const auto ticket = static_cast<Half>(before >> kBits);
    Half ahead = static_cast<Half>(ticket - static_cast<Half>(before));
    if (ahead == 0) {
      return;
    }
    const int place = note.begin(ticket);
    const std::uint64_t begin = os::now_ns();
    while (ahead != 0) {
      note.looked(place, os::now_ns() - begin);
      rest_from_looking(patience, ahead, os::now_ns() - begin);
      ahead = static_cast<Half>(ticket - static_cast<Half>(fetching<Op::kFetch>(word_, home_)));
    }
    note.end(place);
  }
  bool try_lock() noexcept {
    const Word seen = fetching<Op::kFetch>(word_, home_);
    return is_free(seen) &&
           fetching<Op::kCompareSwap>(word_, home_, static_cast<Word>(seen + kOneTicket), seen) == seen;
  }
  // An add to the serving half alone cannot carry into the tickets. The quiet before it has completed the holder's
  // operations; the lock is free for others when this one is complete, which the holder need not wait for.
  void unlock() noexcept { updating<Op::kAdd>(reinterpret_cast<Half*>(word_), home_, Half{1}); }
  bool held() noexcept { return !is_free(fetching<Op::kFetch>(word_, home_)); }

 private:
  static bool is_free(Word word) noexcept { return static_cast<Half>(word >> kBits) == static_cast<Half>(word); }

  Word* word_;
  Target home_;
};

// The two sides of a lock that migrates, as the locks above are used.
class Near : public NearLock {
 public:
  using NearLock::NearLock;
  void lock(const sync::Patience&, const sync::WaitNote& note) noexcept { NearLock::lock(note); }
};
class Far : public FarLock {
 public:
  using FarLock::FarLock;
  void lock(const sync::Patience&, const sync::WaitNote& note) noexcept { FarLock::lock(note); }
  void unlock() noexcept { FarLock::unlock(g_pending); }
};

// Calls what() with the lock, by whichever way it is reached: by the processor alone, or by the network and the
// processor in turn, or by the network alone.
template <class T, class What>
auto with_lock(T* lock, What&& what) noexcept {
  const int home = home_of(lock);
  if (T* at = atomic_at(lock, Target{home}, "lock"); at != nullptr) [[likely]] {
    LockOf<T> here(at, shared_head(node().job).lock_sleepers);
    return what(here);
  }
  const LockMeans means{*node().network, node().patience, wait_for_network};
  if (LockEntry entry{}; find_lock(lock, home, means, &entry)) {
    if (entry.words != nullptr) {
      Near near(means, entry.place, *entry.words, *entry.head);
      return what(near);
    }
    Far far(means, entry.place);
    return what(far);
  }
  FarTicketLock<T> far(lock, home);
  return what(far);
}

template <class T>
void set(T* lock) noexcept {
  with_lock(lock, [&](auto& word) { word.lock(node().patience, {kLockNote<sizeof *lock>, lock}); });
  note_held(lock);
}

template <class T>
bool test(T* lock) noexcept {
  const bool taken = with_lock(lock, [](auto& word) { return word.try_lock(); });
  if (taken) {
    note_held(lock);
  } else {
    after_failed_test();
  }
  return taken;
}

template <class T>
void clear(T* lock) noexcept {
  with_lock(lock, [&](auto& word) {
    if (!word.held()) {
      base::fail(current_call(), "the lock at %p is not held by anybody; set it first, and initialise locks to 0",
                 static_cast<void*>(lock));
    }
    quiet();
    note_released(lock);
    word.unlock();
  });
}

}  // namespace

int lock_home(const long* lock) noexcept { return home_of(lock); }

void set_lock(long* lock) noexcept { set(lock); }
void set_lock(int* lock) noexcept { set(lock); }

bool test_lock(long* lock) noexcept { return test(lock); }
bool test_lock(int* lock) noexcept { return test(lock); }

void clear_lock(long* lock) noexcept { clear(lock); }
void clear_lock(int* lock) noexcept { clear(lock); }

}  // namespace weft::rma
