// When a lock that the network serves goes back to the processors of its node (lock/migrating.hpp).
//
// It leaves them when somebody elsewhere asks: that PE could not go on otherwise. When to return is a bet. Each
// acquisition by the node itself costs a round trip through its own network adapter, where an instruction would do;
// returning, and leaving again for the next one who asks, costs several. As with renting or buying skis, who stays
// until the round trips have cost as much as the return would have never pays more than twice what who knows the future
// pays.
//
// Two things are learnt from history. Acquisitions from elsewhere in between halve what has been counted, so a lock
// that both sides use in turn stays with the network, and one that is used from elsewhere now and then does not. And a
// return that was not worth it, because somebody elsewhere asked soon after, doubles what the next one needs; one that
// was worth it several times over halves that again. So a lock whose users change in a rhythm that defeats the bet
// migrates ever more seldom, and forgets that when the rhythm ends.
#pragma once

#include <algorithm>
#include <cstdint>

namespace weft::lock {

class LockPolicy {
 public:
  /// About what a return and the next leave cost, in acquisitions by the node through the network.
  static constexpr std::uint32_t kPays = 8;
  static constexpr std::uint32_t kMostNeeded = 1024;

  /// Acquisitions while the network serves, since the last call; in which order they came is not known.
  void took(std::uint32_t here, std::uint32_t elsewhere) noexcept {
    run_ = std::min(run_ + std::min(here, kMostNeeded), kMostNeeded) >> std::min(elsewhere, std::uint32_t{31});
  }
  bool wants_back() const noexcept { return run_ >= needed_; }
  void went_back() noexcept {
    run_ = 0;
    returned_ = true;
  }
  /// Somebody elsewhere asked after so many acquisitions by the processors.
  void left(std::uint32_t acquisitions) noexcept {
    if (!returned_) {
      return;  // new locks begin with the processors, which nobody decided
    }
    if (acquisitions < kPays) {
      needed_ = std::min(needed_ * 2, kMostNeeded);
    } else if (acquisitions >= 4 * kPays) {
      needed_ = std::max(needed_ / 2, kPays);
    }
  }
  std::uint32_t needed() const noexcept { return needed_; }

 private:
  std::uint32_t run_ = 0;
  std::uint32_t needed_ = kPays;
  bool returned_ = false;
};

}  // namespace weft::lock
