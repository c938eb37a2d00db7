// The clock of a recording: the processor's time stamp counter where it can be trusted, for it takes a third of the
// time of asking the system; else CLOCK_MONOTONIC. All PEs of a machine decide alike, so their times can be compared.
#pragma once

#include <cstdint>

#include "os/clock.hpp"
#include "profile/recording.hpp"

#if defined(__x86_64__)
#include <x86intrin.h>
#endif

namespace weft::profile {

/// The counter runs at one rate in all states of the processor, and Linux itself goes by it, which it does only after
/// having compared the counters of all processors.
bool tsc_can_be_trusted() noexcept;

class Clock {
 public:
  explicit constexpr Clock(bool use_tsc) : use_tsc_(use_tsc) {}

  std::uint64_t now() const noexcept {
#if defined(__x86_64__)
    if (use_tsc_) {
      return __rdtsc();
    }
#endif
    return os::now_ns();
  }
  bool uses_tsc() const { return use_tsc_; }
  Moment moment() const noexcept { return {now(), os::now_ns()}; }

 private:
  bool use_tsc_;
};

/// Turns ticks into nanoseconds since the first of two moments.
class Scale {
 public:
  Scale(const Moment& first, const Moment& latest)
      : first_(first),
        ns_per_tick_(latest.ticks > first.ticks
                         ? static_cast<double>(latest.ns - first.ns) / static_cast<double>(latest.ticks - first.ticks)
                         : 1.0) {}
  double ns(std::uint64_t ticks) const { return static_cast<double>(ticks) * ns_per_tick_; }
  /// CLOCK_MONOTONIC
  double at(std::uint64_t ticks) const {
    const auto since = static_cast<double>(static_cast<std::int64_t>(ticks - first_.ticks));
    return static_cast<double>(first_.ns) + since * ns_per_tick_;
  }
  std::uint64_t ticks_at(std::uint64_t ns) const {
    const auto since = static_cast<double>(static_cast<std::int64_t>(ns - first_.ns));
    return first_.ticks + static_cast<std::uint64_t>(static_cast<std::int64_t>(since / ns_per_tick_));
  }

 private:
  Moment first_;
  double ns_per_tick_;
};

}  // namespace weft::profile
