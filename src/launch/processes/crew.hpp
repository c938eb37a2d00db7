// The PEs that run on this machine, as processes: by their numbers here.
#pragma once

#include <sys/types.h>

#include <atomic>
#include <optional>
#include <vector>

#include "launch/processes/guard.hpp"

namespace weft::launch::processes {

class Crew {
 public:
  explicit Crew(int n_pes) : pids_(static_cast<std::size_t>(n_pes), 0), alive_(static_cast<std::size_t>(n_pes)) {}

  /// Before the first is started. `others` are places of the guard for what is no PE, behind those of the PEs.
  void guard(int others, const boot::JobHeader& job) {
    guard_.start(static_cast<int>(pids_.size()) + others, mark_of(job));
  }
  Guard& guard() { return guard_; }

  void started(int pe, pid_t pid);
  /// The PE whose process this was; nothing for an orphan of a PE, or what is none at all.
  std::optional<int> ended(pid_t pid);
  pid_t pid(int pe) const { return pids_[static_cast<std::size_t>(pe)]; }
  bool alive(int pe) const { return alive_[static_cast<std::size_t>(pe)]; }
  int living() const { return living_; }

  /// Those that have ended, though we are not told: whoever traces them is to be told first, and does not listen. They
  /// count as ended from then on.
  std::vector<int> held();

  /// To the group of each that lives, not the process: a PE may be a shell and the program its child. A PE that has
  /// ended keeps its group while a child of it lives; those are found at the end of the job.
  void signal(int signal) const;

 private:
  Guard guard_;
  std::vector<pid_t> pids_;
  std::vector<bool> alive_;
  int living_ = 0;
};

}  // namespace weft::launch::processes
