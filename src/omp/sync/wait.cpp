#include "omp/sync/wait.hpp"

#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <climits>

#include "omp/image/image.hpp"

namespace weft::omp {

Patience g_patience;

namespace {

std::atomic<int> g_threads{1};
int g_processors = 1;
// While each thread has a processor, about half a millisecond: who sleeps sooner is woken on the processor of the one
// who wakes it, and where other programs run the two stay there. Then a few yields. While they have not, hardly any.
std::uint64_t g_roomy = 20000;
std::uint64_t g_crowded = 100;
std::uint32_t g_yields = 200;
bool g_set = false;

// Between processes the kernel must look a page up by what it maps.
int private_flag() noexcept { return image::processes() == 1 ? FUTEX_PRIVATE_FLAG : 0; }

void adapt(int threads) noexcept {
  const bool crowded = threads > g_processors;
  g_patience.spins.store(crowded ? std::min(g_crowded, g_roomy) : g_roomy, std::memory_order_relaxed);
  g_patience.yields.store(g_yields, std::memory_order_relaxed);
}

}  // namespace

void set_patience(long long spin_count, int policy, int processors) noexcept {
  g_processors = processors;
  if (policy == 1) {
    g_roomy = 30'000'000'000U;
    g_crowded = 1000;
  } else if (policy == 0) {
    g_roomy = 20000;
    g_crowded = 0;
    g_yields = 200;
  }
  if (spin_count >= 0) {
    g_roomy = static_cast<std::uint64_t>(spin_count);
    g_crowded = std::min<std::uint64_t>(g_roomy, policy == 1 ? 1000 : 100);
    g_yields = spin_count == 0 ? 0 : g_yields;
  }
  g_set = true;
  adapt(g_threads.load(std::memory_order_relaxed));
}

void count_threads(int more) noexcept {
  const int now = g_threads.fetch_add(more, std::memory_order_relaxed) + more;
  if (g_set) {
    adapt(now);
  }
}

void only_this_thread() noexcept { count_threads(1 - g_threads.load(std::memory_order_relaxed)); }

void futex_wait(const std::atomic<std::uint32_t>& word, std::uint32_t value, std::uint64_t most_ns) noexcept {
  constexpr std::uint64_t kSecond = 1'000'000'000;
  const timespec most{static_cast<time_t>(most_ns / kSecond), static_cast<long>(most_ns % kSecond)};
  (void)::syscall(SYS_futex, &word, FUTEX_WAIT | private_flag(), value, most_ns != 0 ? &most : nullptr, nullptr, 0);
}

void futex_wake(const std::atomic<std::uint32_t>& word, int threads) noexcept {
  (void)::syscall(SYS_futex, &word, FUTEX_WAKE | private_flag(), threads, nullptr, nullptr, 0);
}

void ring_sleepers(Bell& bell) noexcept {
  bell.rings.fetch_add(1, std::memory_order_seq_cst);
  futex_wake(bell.rings, INT_MAX);
}

}  // namespace weft::omp
