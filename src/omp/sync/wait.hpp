// How threads of one program wait for each other: spin, yield, sleep. Who changes what is waited for rings the bell.
#pragma once

#include <sched.h>

#include <atomic>
#include <cstdint>

#include "omp/sync/noted.hpp"

namespace weft::omp {

/// Sleepers at it, and how often it rang.
struct alignas(64) Bell {
  std::atomic<std::uint32_t> sleepers{0};
  std::atomic<std::uint32_t> rings{0};
};

/// How long a wait looks before it yields, yields before it sleeps. Written at start and when threads come and go.
struct Patience {
  std::atomic<std::uint64_t> spins{1000};
  std::atomic<std::uint32_t> yields{100};
};
extern Patience g_patience;

/// Of those spins, after which people may want to know (noted.hpp): OMP_WAIT_POLICY=active spins on and on.
inline constexpr std::uint64_t kMostBlind = 1 << 20;
/// Of many programs on few processors each yield may take a while.
inline constexpr std::uint32_t kYieldsBetween = 8;
inline std::uint64_t blind_spins() noexcept {
  const std::uint64_t spins = g_patience.spins.load(std::memory_order_relaxed);
  return spins < kMostBlind ? spins : kMostBlind;
}

/// Threads that the library looks after, the ones of the program's own included: with more than processors, spinning
/// only keeps those from running that are waited for.
void count_threads(int more) noexcept;
/// In a forked child.
void only_this_thread() noexcept;
/// From the environment: GOMP_SPINCOUNT (or -1) and OMP_WAIT_POLICY (1 active, 0 passive, -1 neither).
void set_patience(long long spin_count, int policy, int processors) noexcept;

/// Sleeps while the word holds this value; for so long at most, unless that is 0.
void futex_wait(const std::atomic<std::uint32_t>& word, std::uint32_t value, std::uint64_t most_ns) noexcept;
void futex_wake(const std::atomic<std::uint32_t>& word, int threads) noexcept;

void ring_sleepers(Bell& bell) noexcept;

/// After a sequentially consistent change of what is waited for: the order of that change, this look, the sleeper's
/// announcement and its last look makes that one of the two sees the other.
inline void ring(Bell& bell) noexcept {
  if (bell.sleepers.load(std::memory_order_seq_cst) != 0) {
    ring_sleepers(bell);
  }
}

inline void relax() noexcept {
#if defined(__x86_64__) || defined(__i386__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  __asm__ __volatile__("yield");
#endif
}

/// For states that change within a few instructions of another thread: spins, then yields, never sleeps.
template <class Done>
void wait_briefly(Done&& done) noexcept {
  for (int looks = 0; !done(); ++looks) {
    if (looks < 100) {
      relax();
    } else {
      ::sched_yield();
    }
  }
}

/// Until done(), which reads in sequentially consistent order what a ringer of the bell changes.
template <class Done>
[[gnu::noinline]] void wait_long(Bell& bell, const Awaited& awaited, Done&& done) noexcept {
  LongWait noted(awaited);
  const std::uint32_t yields = g_patience.yields.load(std::memory_order_relaxed);
  for (std::uint32_t k = 0; k < yields; ++k) {
    ::sched_yield();
    if (done()) {
      return;
    }
    if (k % kYieldsBetween == 0) {
      noted.looked();
    }
  }
  for (std::uint64_t k = kMostBlind, most = g_patience.spins.load(std::memory_order_relaxed); k < most; ++k) {
    if (done()) {
      return;
    }
    relax();
    if (k % kMostBlind == 0) {
      noted.looked();
    }
  }
  for (;;) {
    bell.sleepers.fetch_add(1, std::memory_order_seq_cst);
    const std::uint32_t rings = bell.rings.load(std::memory_order_seq_cst);
    const bool already = done();
    if (!already) {
      noted.looked();
      futex_wait(bell.rings, rings, noted.nap_ns());
    }
    bell.sleepers.fetch_sub(1, std::memory_order_relaxed);
    if (already || done()) {
      return;
    }
  }
}

template <class Done>
inline void wait(Bell& bell, const Awaited& awaited, Done&& done) noexcept {
  const std::uint64_t spins = blind_spins();
  for (std::uint64_t k = 0; k < spins; ++k) {
    if (done()) {
      return;
    }
    relax();
  }
  if (!done()) {
    wait_long(bell, awaited, done);
  }
}

}  // namespace weft::omp
