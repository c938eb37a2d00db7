// Futexes on words that several processes map, so never the PRIVATE variants.
#pragma once

#include <atomic>
#include <cstdint>

namespace weft::os {

inline constexpr std::uint32_t kEveryWaiter = 0xffffffffU;  // FUTEX_BITSET_MATCH_ANY

/// Sleeps while word holds expected, for at most timeout_ns. May return early for no reason: callers loop.
void futex_wait(const std::atomic<std::uint32_t>& word, std::uint32_t expected, std::uint64_t timeout_ns,
                std::uint32_t waiters = kEveryWaiter) noexcept;

/// Wakes the sleepers whose bit set shares a bit with waiters.
void futex_wake_all(const std::atomic<std::uint32_t>& word, std::uint32_t waiters = kEveryWaiter) noexcept;

}  // namespace weft::os
