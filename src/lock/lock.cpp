#include "lock/lock.hpp"

#include <type_traits>

#include "job/notes.hpp"
#include "lock/table.hpp"
#include "os/clock.hpp"
#include "rma/atomics.hpp"
#include "rma/order.hpp"
#include "sync/ticket_lock.hpp"

namespace weft::lock {
namespace {

using transport::Op;

template <class T>
using LockOf = std::conditional_t<sizeof(T) == 8, sync::TicketLock, sync::SmallTicketLock>;

/// The same lock (sync/ticket_lock.hpp) taken through the network: first come, first served among all.
template <class T>
class FarTicketLock {
  using Word = std::make_unsigned_t<T>;
  using Half = std::conditional_t<sizeof(T) == 8, std::uint32_t, std::uint16_t>;
  static constexpr int kBits = 8 * sizeof(Half);
  static constexpr Word kOneTicket = Word{1} << kBits;

 public:
  FarTicketLock(T* lock, int home) noexcept : word_(rma::remote(lock, home)) {}

  void lock(const sync::Patience& patience, const sync::WaitNote& note) noexcept {
    const Word before = rma::fetch_by_network<Op::kAdd>(word_, kOneTicket);
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
      ahead = static_cast<Half>(ticket - static_cast<Half>(rma::fetch_by_network<Op::kFetch, Word>(word_)));
    }
    note.end(place);
  }
  bool try_lock() noexcept {
    const Word seen = rma::fetch_by_network<Op::kFetch, Word>(word_);
    return is_free(seen) &&
           rma::fetch_by_network<Op::kCompareSwap>(word_, static_cast<Word>(seen + kOneTicket), seen) == seen;
  }
  // An add to the serving half alone cannot carry into the tickets. The quiet before it has completed the holder's
  // operations; the lock is free for others when this one is complete, which the holder need not wait for.
  void unlock() noexcept {
    rma::by_network<Op::kAdd>(static_cast<Half*>(nullptr), word_, Half{1}, Half{}, rma::g_pending);
  }
  bool held() noexcept { return !is_free(rma::fetch_by_network<Op::kFetch, Word>(word_)); }

 private:
  static bool is_free(Word word) noexcept { return static_cast<Half>(word >> kBits) == static_cast<Half>(word); }

  transport::Remote word_;
};

// The two sides of a lock that migrates, as the locks above are used.
class Near : public NearLock {
 public:
  using NearLock::NearLock;
  void lock(const sync::Patience&, const sync::WaitNote& note) noexcept { NearLock::lock(Mode::kExclusive, note); }
  bool try_lock() noexcept { return NearLock::try_lock(Mode::kExclusive); }
  void unlock() noexcept { NearLock::unlock(Mode::kExclusive); }
};
class Far : public FarLock {
 public:
  using FarLock::FarLock;
  void lock(const sync::Patience&, const sync::WaitNote& note) noexcept {
    FarLock::lock(Mode::kExclusive, note, rma::g_pending);
  }
  bool try_lock() noexcept { return FarLock::try_lock(Mode::kExclusive, rma::g_pending); }
  void unlock() noexcept { FarLock::unlock(Mode::kExclusive, rma::g_pending); }
};

// Calls what() with the lock, by whichever way it is reached: by the processor alone, or by the network and the
// processor in turn, or by the network alone.
template <class T, class What>
auto with_lock(T* lock, What&& what) noexcept {
  const int home = home_of(lock);
  job::Node& node = job::node();
  if (void* at = node.amo_by_network ? nullptr : job::here(lock, home); at != nullptr) [[likely]] {
    LockOf<T> here(static_cast<T*>(at), job::shared_head(node.job).lock_sleepers);
    return what(here);
  }
  const LockMeans means{*job::node().network, job::node().patience, rma::wait_for_network};
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

}  // namespace

// All PEs mean one word by a lock: that of its home PE.
template <class T>
int home_of(const T* lock) noexcept {
  const memory::Space& space = job::node().space;
  const auto at = reinterpret_cast<std::uintptr_t>(lock);
  // Counted from the part's own start: the distance of heap and static data differs between PEs under ASLR.
  const std::uintptr_t offset = space.heap().holds(at) ? at - space.heap().lo : at - space.statics().lo;
  return static_cast<int>(offset / sizeof *lock % static_cast<unsigned>(job::node().n_pes));
}

template <class T>
void set(T* lock) noexcept {
  with_lock(lock, [&](auto& word) { word.lock(job::node().patience, {job::kLockNote<sizeof *lock>, lock}); });
  job::note_held(lock);
}

template <class T>
bool test(T* lock) noexcept {
  const bool taken = with_lock(lock, [](auto& word) { return word.try_lock(); });
  if (taken) {
    job::note_held(lock);
  }
  return taken;
}

template <class T>
bool clear(T* lock) noexcept {
  return with_lock(lock, [&](auto& word) {
    if (!word.held()) {
      return false;
    }
    rma::quiet();
    job::note_released(lock);
    word.unlock();
    return true;
  });
}

template int home_of(const long* lock) noexcept;
template int home_of(const int* lock) noexcept;
template void set(long* lock) noexcept;
template void set(int* lock) noexcept;
template bool test(long* lock) noexcept;
template bool test(int* lock) noexcept;
template bool clear(long* lock) noexcept;
template bool clear(int* lock) noexcept;

}  // namespace weft::lock
