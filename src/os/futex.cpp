#include "os/futex.hpp"

#include <linux/futex.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <climits>

#include "os/clock.hpp"

namespace weft::os {

void futex_wait(const std::atomic<std::uint32_t>& word, std::uint32_t expected, std::uint64_t timeout_ns,
                std::uint32_t waiters) noexcept {
  // FUTEX_WAIT_BITSET takes an absolute CLOCK_MONOTONIC time, unlike FUTEX_WAIT.
  const std::uint64_t until = now_ns() + timeout_ns;
  timespec t{};
  t.tv_sec = static_cast<time_t>(until / 1'000'000'000U);
  t.tv_nsec = static_cast<long>(until % 1'000'000'000U);
  (void)::syscall(SYS_futex, &word, FUTEX_WAIT_BITSET, expected, &t, nullptr, waiters);
}

void futex_wake_all(const std::atomic<std::uint32_t>& word, std::uint32_t waiters) noexcept {
  (void)::syscall(SYS_futex, &word, FUTEX_WAKE_BITSET, INT_MAX, nullptr, nullptr, waiters);
}

}  // namespace weft::os
