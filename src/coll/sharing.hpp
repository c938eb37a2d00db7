// Members of a team that share processors: where each is, and who waits for whom (sync/beside.hpp, record 0157).
#pragma once

#include <cstdint>

#include "group/stations.hpp"
#include "group/team.hpp"
#include "job/node.hpp"
#include "sync/beside.hpp"

namespace weft::coll {

class Sharing {
 public:
  explicit Sharing(const group::Team& team) noexcept : team_(team) {}

  /// The same on all members.
  static bool is_of(const group::Team& team) noexcept {
    return sync::g_looks_elsewhere && job::node().crowded && team.here.size > 1 &&
           team.here.size <= sync::kMostLookedAt;
  }

  /// Where this member is, in each call, which are counted; and now and then it goes elsewhere, where too many are
  /// here.
  void tell(std::uint64_t call) const noexcept {
    sync::tell_processor(station(team_.seat).meeting.at);
    constexpr std::uint64_t kCallsAtOnePlace = 64;
    if (call % kCallsAtOnePlace == 0) [[unlikely]] {
      spread();
    }
  }
  /// Whether one for which is_awaited(seat, its station) is on that processor.
  template <class IsAwaited>
  bool is_beside(std::uint32_t processor, IsAwaited&& is_awaited) const noexcept {
    for (int seat = 0; seat < team_.here.size; ++seat) {
      group::Station& theirs = station(seat);
      // Relaxed: a hint.
      if (theirs.meeting.at.processor.load(std::memory_order_relaxed) == processor && is_awaited(theirs)) {
        return true;
      }
    }
    return false;
  }
  group::Station& station(int seat) const noexcept {
    return group::station(job::node().job, team_.slot, team_.here.place(seat));
  }

 private:
  void spread() const noexcept;

  const group::Team& team_;
};

}  // namespace weft::coll
