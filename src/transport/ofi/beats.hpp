// Signs of life between nodes. libfabric does not say when a host falls silent: a provider may wait for ever. So the
// first PE of each node tells the first one of the next node now and then that it is there.
#pragma once

#include <algorithm>
#include <cstdint>

namespace weft::transport::ofi {

/// When they are due, and when the other node is silent. Times are of one clock, in nanoseconds.
class Beats {
 public:
  /// From now on, after so many seconds of silence; 0: never.
  void begin(int seconds, std::uint64_t now) noexcept {
    patience_ = static_cast<std::uint64_t>(std::max(seconds, 0)) * kSecond;
    next_ = looked_ = now;
    heard_ = 0;
  }
  void end() noexcept { patience_ = 0; }
  bool are_on() const noexcept { return patience_ != 0; }

  /// The other node has said something: from the first time on it is watched.
  void heard(std::uint64_t now) noexcept { heard_ = now; }

  struct Due {
    bool beat = false;
    bool is_silent = false;  // once
  };
  Due look(std::uint64_t now) noexcept {
    Due due;
    if (!are_on()) {
      return due;
    }
    // Who was stopped itself, as a batch system or a debugger does it with a whole job, has not listened.
    if (heard_ != 0 && now - looked_ > patience_ / 2) {
      heard_ = now;
    }
    looked_ = now;
    due.beat = now >= next_;
    if (due.beat) {
      next_ = now + patience_ / kBeats;
    }
    due.is_silent = heard_ != 0 && now - heard_ > patience_;
    if (due.is_silent) {
      heard_ = 0;
    }
    return due;
  }

 private:
  static constexpr std::uint64_t kSecond = 1'000'000'000;
  static constexpr std::uint64_t kBeats = 5;  // within the time: some may be late

  std::uint64_t patience_ = 0;
  std::uint64_t next_ = 0;
  std::uint64_t looked_ = 0;
  std::uint64_t heard_ = 0;  // 0: never
};

}  // namespace weft::transport::ofi
