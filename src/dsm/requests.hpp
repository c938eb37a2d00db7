// Locks that are asked for now and taken later: requests that do not wait.
#pragma once

#include <cstddef>
#include <cstdint>

#include "dsm/order.hpp"

namespace weft::dsm {

/// That a PE may have under way: those of other nodes are questions, of which there are 512 for all that it asks.
inline constexpr std::size_t kMostRequests = 256;

/// This PE's place among those that want the lock: a number; 0: there are as many requests as may be.
std::uint64_t begin_lock(std::uint64_t lock) noexcept;
/// It is taken, and there is no request of that number any more; or not yet; or there was none.
enum class Tested : std::uint8_t { kTaken, kNotYet, kNone };
Tested test_lock(std::uint64_t number) noexcept;
/// False: there is no request of that number.
[[nodiscard]] bool wait_for_lock(std::uint64_t number) noexcept;
/// How many have been begun and not been taken.
std::size_t lock_requests() noexcept;

}  // namespace weft::dsm
