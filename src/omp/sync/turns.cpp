#include "omp/sync/turns.hpp"

namespace weft::omp {

bool Turns::try_take() noexcept {
  const Guard guard(guard_);
  if (taken_) {
    return false;
  }
  taken_ = true;
  return true;
}

bool Turns::take(const Awaited& awaited) noexcept {
  Waiter waiter;
  {
    const Guard guard(guard_);
    if (!taken_) {
      taken_ = true;
      return false;
    }
    (first_ == nullptr ? first_ : last_->next) = &waiter;
    last_ = &waiter;
  }
  return wait(waiter, awaited) == kLeft;
}

std::uint32_t Turns::wait(Waiter& waiter, const Awaited& awaited) noexcept {
  // Acquire, here and below: what the one before wrote while it had the turn.
  const auto look = [&] { return waiter.state.load(std::memory_order_acquire); };
  std::uint32_t seen = look();
  for (std::uint64_t k = 0, most = blind_spins(); k < most && seen < kGiven; ++k) {
    relax();
    seen = look();
  }
  if (seen >= kGiven) {
    return seen;
  }
  LongWait noted(awaited);
  for (std::uint32_t k = 0, most = g_patience.yields.load(std::memory_order_relaxed); k < most; ++k) {
    ::sched_yield();
    if (seen = look(); seen >= kGiven) {
      return seen;
    }
    if (k % kYieldsBetween == 0) {
      noted.looked();
    }
  }
  // Relaxed: it says only that somebody is to be woken, and where it is this thread's turn already the next look
  // acquires.
  waiter.state.compare_exchange_strong(seen, kSleeps, std::memory_order_relaxed);
  for (seen = look(); seen < kGiven; seen = look()) {
    noted.looked();
    futex_wait(waiter.state, kSleeps, noted.nap_ns());
  }
  return seen;
}

// With the guard.
Turns::Waiter* Turns::take_first() noexcept {
  Waiter* const first = first_;
  if (first != nullptr) {
    first_ = first->next;
  }
  return first;
}

// Release: what this thread wrote is seen by the next. From here on the waiter may be gone, with its stack: nothing of
// it is read, and waking at an address where nobody sleeps wakes nobody.
void Turns::wake(Waiter& next, std::uint32_t how) noexcept {
  if (next.state.exchange(how, std::memory_order_release) == kSleeps) {
    futex_wake(next.state, 1);
  }
}

void Turns::give() noexcept {
  Waiter* next = nullptr;
  {
    const Guard guard(guard_);
    next = take_first();
    taken_ = next != nullptr;
  }
  if (next != nullptr) {
    wake(*next, kGiven);
  }
}

bool Turns::leave() noexcept {
  Waiter* next = nullptr;
  {
    const Guard guard(guard_);
    next = take_first();
  }
  if (next != nullptr) {
    wake(*next, kLeft);
  }
  return next != nullptr;
}

}  // namespace weft::omp
