// When a lock that the network serves goes back to the processors of its node (lock/migrating.hpp).
//
// It leaves them when somebody elsewhere asks: that PE could not go on otherwise. When to return is a bet. Each
// acquisition by the node itself costs a round trip through its own network adapter, where an instruction would do;
// returning, and leaving again for the next one who asks, costs several. As with renting or buying skis, who stays
// until the round trips have cost as much as the return would have never pays more than twice what who knows the future
// pays. Acquisitions from elsewhere in between halve what has been counted, so a lock that both sides use in turn stays
// with the network, and one that is used from elsewhere now and then does not.
//
// No more is learnt from history. A return that did not pay used to make the next one dearer: that saves a quarter in
// the rhythm that defeats the bet, and pays a hundred times too much in the one that defeats the lesson.
#pragma once

#include <algorithm>
#include <cstdint>

namespace weft::lock {

class LockPolicy {
 public:
  constexpr LockPolicy() = default;
  /// Returns at the first use by the node, or never: what a program may ask for.
  static constexpr LockPolicy always() noexcept { return LockPolicy(1); }
  static constexpr LockPolicy never() noexcept { return LockPolicy(UINT32_MAX); }

  /// What a return and the next leave cost, in acquisitions by the node through the network, and as many more as keep
  /// the bet twice as dear as the best: unit.lock.LockCosts counts.
  static constexpr std::uint32_t kPays = 6;
  /// More is not counted. More than kPays is, for who has just come from the node may pass for somebody from elsewhere
  /// until it has said so.
  static constexpr std::uint32_t kMost = 1024;

  /// Acquisitions while the network serves, since the last call; in which order they came is not known.
  void took(std::uint32_t here, std::uint32_t elsewhere) noexcept {
    run_ = std::min(run_ + std::min(here, kMost), kMost) >> std::min(elsewhere, std::uint32_t{31});
  }
  bool wants_back() const noexcept { return run_ >= pays_; }
  void went_back() noexcept { run_ = 0; }

 private:
  explicit constexpr LockPolicy(std::uint32_t pays) noexcept : pays_(pays) {}

  std::uint32_t pays_ = kPays;
  std::uint32_t run_ = 0;
};

}  // namespace weft::lock
