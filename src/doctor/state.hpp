// What the PEs of a job were found doing: copies of their records, taken one after another while they run on. So two of
// them may not fit together; what waits for seconds does.
#pragma once

#include <cstdint>
#include <vector>

#include "boot/job.hpp"

namespace weft::doctor {

/// boot::WaitRecord, read.
struct Wait {
  boot::Waiting why = boot::Waiting::kNot;
  std::uint32_t call = 0;
  std::uint64_t site = 0;
  std::uint64_t since = 0;
  boot::Place object = 0;
  std::uint64_t elements = 0;
  std::uint64_t wanted = 0;
  std::uint32_t compare = 0;
  std::uint32_t type = 0;
  int start = 0;
  int stride = 1;
  int size = 0;
  std::uint32_t slot = boot::kNoSlot;
  std::uint64_t number = 0;
  int root = -1;

  bool collective() const { return size > 0; }
  bool same_team(const Wait& other) const {
    return slot == other.slot && start == other.start && stride == other.stride && size == other.size;
  }
  int member(int k) const { return start + k * stride; }
  bool has_member(int pe) const;
};

struct Pe {
  bool alive = true;
  bool stopped = false;
  bool held = false;  // for a debugger, before main
  boot::Phase phase = boot::Phase::kStarted;
  std::uint32_t call = 0;  // entered last
  std::uint64_t site = 0;
  std::vector<Wait> waits;
  std::vector<boot::Place> locks;  // held

  /// The wait that has lasted longest; null when the PE does not wait.
  const Wait* oldest() const;
};

/// `living` says of each PE whether its process is there. Whether one is stopped is for the caller to find out.
std::vector<Pe> look_at(boot::JobHeader* job, const std::vector<bool>& living);

}  // namespace weft::doctor
