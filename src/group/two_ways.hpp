// Which of two ways calls of about one size go, by what they took.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>

namespace weft::group {

/// Of one member, which decides for all. What is the faster way is no property of a machine alone: how far processors
/// are from each other decides it too, which under a hypervisor changes while a program runs.
class TwoWays {
 public:
  /// 0 or 1: the first calls go both ways by turns, later ones the faster one, but for a look at the other now and
  /// then.
  int next() const noexcept {
    if (calls_ < kFirst) {
      return static_cast<int>(calls_ % 2);
    }
    const int faster = took_[1] < took_[0] ? 1 : 0;
    return calls_ % kAgain == 0 ? 1 - faster : faster;
  }
  /// What the call took, in units of no matter. One of the first may have met pages for the first time, and a later one
  /// another process: that alone changes little.
  void note(int way, double took) noexcept {
    double& known = took_[static_cast<std::size_t>(way)];
    if (calls_ < kFirst) {
      known = known == 0 ? took : std::min(known, took);
    } else {
      known += (std::min(took, 2 * known) - known) / kWeight;
    }
    calls_ = calls_ + 1 == 0 ? kFirst : calls_ + 1;
  }

 private:
  static constexpr std::uint32_t kFirst = 6;
  static constexpr std::uint32_t kAgain = 32;
  static constexpr double kWeight = 4;

  std::uint32_t calls_ = 0;
  std::array<double, 2> took_{};
};

}  // namespace weft::group
