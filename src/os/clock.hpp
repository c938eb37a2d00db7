// The clock that waits and messages go by.
#pragma once

#include <time.h>

#include <cstdint>

namespace weft::os {

/// CLOCK_MONOTONIC in nanoseconds; the same for all processes of the machine.
inline std::uint64_t now_ns() noexcept {
  timespec t{};
  ::clock_gettime(CLOCK_MONOTONIC, &t);
  return static_cast<std::uint64_t>(t.tv_sec) * 1'000'000'000U + static_cast<std::uint64_t>(t.tv_nsec);
}

}  // namespace weft::os
