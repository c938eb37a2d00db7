// Why a job does not go on: rules only, over what its PEs were found doing.
#pragma once

#include <vector>

#include "doctor/state.hpp"

namespace weft::doctor {

/// Members of the wait's team that have not come to the same call.
std::vector<int> not_arrived(const std::vector<Pe>& pes, int pe, const Wait& wait);

/// Who holds the lock that is waited for; -1 when it is not known.
int holder_of(const std::vector<Pe>& pes, const Wait& wait);

/// Whom a wait for a lock of a window needs, in ascending order.
struct WindowQueue {
  std::vector<int> writers;  // one at most, or what is noted changed between two looks
  std::vector<int> readers;
  std::vector<int> ahead;  // who waits before it, and cannot be let in with it
};
WindowQueue window_queue(const std::vector<Pe>& pes, int pe, const Wait& wait);

struct Finding {
  enum class Kind {
    kDifferentCalls,  // two members of a team are in different routines at the same call
    kDifferentRoots,
    kDifferentSizes,
    kDifferentSets,  // two PEs give active sets that are not the same but hold both
    kRelock,         // a PE waits for a lock that it holds
    kCircle,         // each of these PEs waits for the next one, and the last for the first
    kNobodyRuns,     // every PE waits, in no circle; these wait for values
    kHeldUpBy,       // one PE that does not wait is what the others wait for
  };
  Kind kind;
  // What it is about, in order. The waits are theirs, in `pes`; null where the PE does not wait.
  std::vector<int> pes;
  std::vector<const Wait*> waits;
};

/// The surest first. Only what stood still counts: a job that goes on is never said to hang.
std::vector<Finding> diagnose(const std::vector<Pe>& pes);

}  // namespace weft::doctor
