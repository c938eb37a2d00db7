#include "sync/ticket_lock.hpp"

#include <sched.h>

#include <bit>

#include "os/futex.hpp"

namespace weft::sync {
namespace {

constexpr std::uint64_t kLongestNapNs = 100'000'000;
constexpr std::uint64_t kOneTicket = std::uint64_t{1} << 32;
static_assert(std::endian::native == std::endian::little, "serving() takes the low half as the first four bytes");

std::uint32_t next_of(std::uint64_t word) noexcept { return static_cast<std::uint32_t>(word >> 32); }
std::uint32_t serving_of(std::uint64_t word) noexcept { return static_cast<std::uint32_t>(word); }

// A sleeper is woken by its own ticket's bit, so a release wakes one of up to 32 waiters and not the herd.
std::uint32_t bit_of(std::uint32_t ticket) noexcept { return std::uint32_t{1} << (ticket % 32); }

}  // namespace

std::atomic<std::uint32_t>& TicketLock::serving() const noexcept {
  return *reinterpret_cast<std::atomic<std::uint32_t>*>(word_);
}

void TicketLock::lock(const Patience& patience, const WaitNote& note) noexcept {
  // Acquire: when the ticket is served at once, the last holder's work must be visible.
  const std::uint64_t before = word_->fetch_add(kOneTicket, std::memory_order_acquire);
  const std::uint32_t ticket = next_of(before);
  const auto mine = [&] { return serving().load(std::memory_order_acquire) == ticket; };
  if (serving_of(before) == ticket) {
    return;
  }
  // Only the next in line spins: the others know that at least one more holder comes first.
  const std::uint32_t spins = ticket - serving_of(before) == 1 ? patience.spins : 0;
  for (std::uint32_t k = 0; k < spins; ++k) {
    if (mine()) {
      return;
    }
    relax();
  }
  detail::note_begin(note);
  const std::uint64_t begin = os::now_ns();
  while (!mine()) {
    const std::uint64_t waited = os::now_ns() - begin;
    const bool work_is_left = detail::work_is_left(patience);
    if (waited < patience.sleep_after_ns) {
      ::sched_yield();
      continue;
    }
    const std::uint32_t now = serving().load(std::memory_order_acquire);
    if (now == ticket) {
      break;
    }
    // The kernel compares the word again under its own lock and unlock() always wakes when there are tickets out,
    // so no wake-up is lost; the time limit only bounds the damage of a stray write to the lock word.
    os::futex_wait(serving(), now, work_is_left ? detail::nap_ns(patience, waited, true) : kLongestNapNs,
                   bit_of(ticket));
  }
  detail::note_end(note);
}

bool TicketLock::try_lock() noexcept {
  std::uint64_t seen = word_->load(std::memory_order_relaxed);
  while (next_of(seen) == serving_of(seen)) {
    // Acquire on success: the last holder's work must be visible. A failure reads nothing that is used.
    if (word_->compare_exchange_weak(seen, seen + kOneTicket, std::memory_order_acquire, std::memory_order_relaxed)) {
      return true;
    }
  }
  return false;
}

void TicketLock::unlock() noexcept {
  // Only the holder changes the serving half, but takers add to the other half at the same time: so a 32-bit add to
  // the low half alone, which also cannot carry into the tickets. Release: this holder's work goes to the next one.
  const std::uint32_t now = serving().fetch_add(1, std::memory_order_release) + 1;
  // A waiter that took its ticket after this load finds `serving` already advanced: the add above and its fetch_add
  // are on the same word, and futex_wait compares once more.
  if (next_of(word_->load(std::memory_order_relaxed)) != now) {
    os::futex_wake_all(serving(), bit_of(now));
  }
}

bool TicketLock::held() const noexcept {
  const std::uint64_t word = word_->load(std::memory_order_relaxed);
  return next_of(word) != serving_of(word);
}

}  // namespace weft::sync
