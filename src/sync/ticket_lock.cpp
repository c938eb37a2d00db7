#include "sync/ticket_lock.hpp"

#include <sched.h>

#include <bit>

#include "os/futex.hpp"
#include "sync/uncrowded.hpp"

namespace weft::sync {
namespace {

constexpr std::uint64_t kLongestNapNs = 100'000'000;
static_assert(std::endian::native == std::endian::little, "serving() takes the low half as the first bytes");

template <class Word, class Half>
struct Halves {
  static constexpr int kBits = 8 * sizeof(Half);
  static constexpr Word kOneTicket = Word{1} << kBits;
  static Half next(Word word) noexcept { return static_cast<Half>(word >> kBits); }
  static Half serving(Word word) noexcept { return static_cast<Half>(word); }
};

// A sleeper is woken by its own ticket's bit, so a release wakes one of up to 32 waiters and not the herd.
std::uint32_t bit_of(std::uint32_t ticket) noexcept { return std::uint32_t{1} << (ticket % 32); }

// What a waiter sleeps on, 4 bytes for the kernel: the served ticket, or the small lock's whole word, which new tickets
// change as well; they only send a waiter round once more.
template <class Word>
std::atomic<std::uint32_t>& bell_of(std::atomic<Word>* word) noexcept {
  return *reinterpret_cast<std::atomic<std::uint32_t>*>(word);
}

// Who unlocks through the network wakes nobody.
std::uint64_t longest_nap(const Patience& patience, std::uint64_t waited_ns, bool work_is_left) noexcept {
  return work_is_left || patience.poll != nullptr ? detail::nap_ns(patience, waited_ns, work_is_left) : kLongestNapNs;
}

// A wait of who is next in line and spins (uncrowded.hpp); null: of somebody else.
void tell(Crowding* crowding, Crowding::Ended ended) noexcept {
  if (crowding != nullptr && crowding->waited(ended)) [[unlikely]] {
    detail::leave_processor();
  }
}

}  // namespace

template <class Word, class Half>
std::atomic<Half>& BasicTicketLock<Word, Half>::serving() const noexcept {
  return *reinterpret_cast<std::atomic<Half>*>(word_);
}

template <class Word, class Half>
void BasicTicketLock<Word, Half>::lock(const Patience& patience, const WaitNote& note) noexcept {
  // Acquire: when the ticket is served at once, the last holder's work must be visible.
  using H = Halves<Word, Half>;
  const Word before = word_->fetch_add(H::kOneTicket, std::memory_order_acquire);
  const Half ticket = H::next(before);
  const auto mine = [&] { return serving().load(std::memory_order_acquire) == ticket; };
  if (H::serving(before) == ticket) {
    return;
  }
  // Only the next in line spins: the others know that at least one more holder comes first.
  const std::uint32_t most = static_cast<Half>(ticket - H::serving(before)) == 1 ? patience.spins : 0;
  Crowding* const crowding = most > 0 && patience.poll == nullptr ? &detail::crowding() : nullptr;
  const std::uint32_t spins = crowding == nullptr || crowding->spins() ? most : 0;
  for (std::uint32_t k = 0; k < spins; ++k) {
    if (mine()) {
      tell(crowding, Crowding::Ended::kSoon);
      return;
    }
    relax();
    detail::poll(patience);
  }
  const int place = note.begin(ticket);
  const std::uint64_t begin = os::now_ns();
  int looks = 0;
  for (; !mine(); ++looks) {
    const std::uint64_t waited = os::now_ns() - begin;
    note.looked(place, waited);
    const bool work_is_left = detail::work_is_left(patience);
    if (waited < patience.sleep_after_ns) {
      ::sched_yield();
      detail::poll(patience);
      continue;
    }
    // seq_cst, as is the add in unlock(): either that finds this sleeper, or the load below finds its ticket served.
    all_sleepers_->fetch_add(1, std::memory_order_seq_cst);
    std::atomic_thread_fence(std::memory_order_seq_cst);
    const std::uint32_t now = bell_of(word_).load(std::memory_order_acquire);
    if (static_cast<Half>(now) != ticket) {
      detail::lie_down(patience);
      // The kernel compares the word again under its own lock and unlock() wakes when there are tickets out and
      // sleepers, so no wake-up is lost; the time limit only bounds the damage of a stray write to the lock word.
      os::futex_wait(bell_of(word_), now, longest_nap(patience, waited, work_is_left), bit_of(ticket));
    }
    all_sleepers_->fetch_sub(1, std::memory_order_relaxed);
  }
  note.end(place);
  tell(crowding, looks <= kQuietYields ? Crowding::Ended::kYielding : Crowding::Ended::kLater);
}

template <class Word, class Half>
bool BasicTicketLock<Word, Half>::try_lock() noexcept {
  using H = Halves<Word, Half>;
  Word seen = word_->load(std::memory_order_relaxed);
  while (H::next(seen) == H::serving(seen)) {
    // Acquire on success: the last holder's work must be visible. A failure reads nothing that is used.
    if (word_->compare_exchange_weak(seen, seen + H::kOneTicket, std::memory_order_acquire,
                                     std::memory_order_relaxed)) {
      return true;
    }
  }
  return false;
}

template <class Word, class Half>
void BasicTicketLock<Word, Half>::unlock() noexcept {
  // Only the holder changes the serving half, but takers add to the other half at the same time: so an add to the low
  // half alone, which also cannot carry into the tickets. Release: this holder's work goes to the next one; seq_cst and
  // the fence: see lock().
  const auto now = static_cast<Half>(serving().fetch_add(1, std::memory_order_seq_cst) + 1);
#if !defined(__x86_64__) && !defined(__i386__)
  std::atomic_thread_fence(std::memory_order_seq_cst);  // on x86 the add is one
#endif
  if (all_sleepers_->load(std::memory_order_relaxed) == 0) {
    return;
  }
  // A waiter that took its ticket after this load finds `serving` already advanced: the add above and its fetch_add
  // are on the same word, and futex_wait compares once more.
  if (Halves<Word, Half>::next(word_->load(std::memory_order_relaxed)) != now) {
    os::futex_wake_all(bell_of(word_), bit_of(now));
  }
}

template <class Word, class Half>
bool BasicTicketLock<Word, Half>::held() const noexcept {
  const Word word = word_->load(std::memory_order_relaxed);
  return Halves<Word, Half>::next(word) != Halves<Word, Half>::serving(word);
}

template class BasicTicketLock<std::uint64_t, std::uint32_t>;
template class BasicTicketLock<std::uint32_t, std::uint16_t>;

}  // namespace weft::sync
