#include "omp/sync/mutex.hpp"

namespace weft::omp {

void Mutex::lock_slowly(ThreadWaits why, const void* site, const void* name) noexcept {
  const std::uint64_t spins = blind_spins();
  // While nobody sleeps at it: who comes later than a sleeper would overtake it.
  for (std::uint64_t k = 0; k < spins; ++k) {
    const std::uint32_t seen = word_.load(std::memory_order_relaxed);
    if ((seen & kWaited) != 0) {
      break;
    }
    if (seen == kFree && try_lock()) {
      return;
    }
    relax();
  }
  const Awaited awaited{.why = why, .site = site, .object = name};
  LongWait noted(awaited);
  // Of a lock by another name it is only whose turn of this process's threads it is.
  const auto holder = [&](std::uint32_t word) { return name == this ? id_of(word) : 0; };
  const std::uint32_t yields = g_patience.yields.load(std::memory_order_relaxed);
  for (std::uint32_t k = 0; k < yields; ++k) {
    ::sched_yield();
    const std::uint32_t seen = word_.load(std::memory_order_relaxed);
    if (seen == kFree && try_lock()) {
      return;
    }
    if (k % kYieldsBetween == 0) {
      noted.looked(holder(seen));
    }
  }
  // Held by whom it may be, it says now that somebody sleeps.
  for (std::uint32_t seen = word_.load(std::memory_order_relaxed);;) {
    // Acquire: when it was free, it is this thread's.
    if (!word_.compare_exchange_weak(seen, seen == kFree ? t_noted.mark | kWaited : seen | kWaited,
                                     std::memory_order_acquire, std::memory_order_relaxed)) {
      continue;
    }
    if (seen == kFree) {
      return;
    }
    noted.looked(holder(seen));
    futex_wait(word_, seen | kWaited, noted.nap_ns());
    seen = word_.load(std::memory_order_relaxed);
  }
}

void Mutex::wake_one() noexcept { futex_wake(word_, 1); }

}  // namespace weft::omp
