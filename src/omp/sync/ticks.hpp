// How long something took, about: what costs least to ask.
#pragma once

#include <ctime>

#include <cstdint>

namespace weft::omp {

#if defined(__x86_64__) || defined(__i386__)
inline std::uint64_t ticks() noexcept { return __builtin_ia32_rdtsc(); }
/// Half a microsecond to a whole one, with 2 to 4 of them a nanosecond.
inline constexpr std::uint64_t kTicksOfHandover = 2000;
#else
inline std::uint64_t ticks() noexcept {
  timespec now{};
  (void)::clock_gettime(CLOCK_MONOTONIC, &now);
  return static_cast<std::uint64_t>(now.tv_sec) * 1000000000U + static_cast<std::uint64_t>(now.tv_nsec);
}
inline constexpr std::uint64_t kTicksOfHandover = 1000;
#endif

}  // namespace weft::omp
