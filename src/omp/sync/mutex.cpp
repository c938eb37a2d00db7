#include "omp/sync/mutex.hpp"

namespace weft::omp {

void Mutex::lock_slowly() noexcept {
  const std::uint64_t spins = g_patience.spins.load(std::memory_order_relaxed);
  // While nobody sleeps at it: who comes later than a sleeper would overtake it.
  for (std::uint64_t k = 0; k < spins; ++k) {
    const std::uint32_t seen = word_.load(std::memory_order_relaxed);
    if (seen == kHeldWaited) {
      break;
    }
    if (seen == kFree && try_lock()) {
      return;
    }
    relax();
  }
  const std::uint32_t yields = g_patience.yields.load(std::memory_order_relaxed);
  for (std::uint32_t k = 0; k < yields; ++k) {
    ::sched_yield();
    if (word_.load(std::memory_order_relaxed) == kFree && try_lock()) {
      return;
    }
  }
  // Held by whom it may be, it says now that somebody sleeps. Acquire: when it was free, it is this thread's.
  while (word_.exchange(kHeldWaited, std::memory_order_acquire) != kFree) {
    futex_wait(word_, kHeldWaited);
  }
}

void Mutex::wake_one() noexcept { futex_wake(word_, 1); }

}  // namespace weft::omp
