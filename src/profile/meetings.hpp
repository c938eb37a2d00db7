// Who comes last: the PEs of a group note when they come to a meeting, and see when they leave who kept them waiting.
#pragma once

#include <cstdint>

#include "profile/recording.hpp"

namespace weft::profile {

/// PEs first, first + stride, ... : what a team or an active set is. size 0: nobody we know how to name.
struct Members {
  int first = 0;
  int stride = 1;
  int size = 0;
};

class MeetingBook {
 public:
  constexpr MeetingBook() = default;

  void use(Meetings* shared, int me) {
    shared_ = shared;
    me_ = me;
  }

  struct Ticket {
    int group = -1;
    int round = 0;
    std::uint64_t came = 0;
  };
  /// This PE comes to the next meeting of these PEs.
  Ticket come(const Members& members, std::uint64_t now) noexcept;

  struct Last {
    int pe = -1;
    std::uint64_t late = 0;  // ticks since we came
  };
  /// All have come: who was the last?
  Last leave(const Ticket& ticket) const noexcept;

 private:
  int find_group(const Members& members) noexcept;

  Meetings* shared_ = nullptr;
  int me_ = 0;
  std::atomic<std::uint32_t> meetings_[Meetings::kGroups]{};
};

}  // namespace weft::profile
