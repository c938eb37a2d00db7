#include "launch/crew.hpp"

#include <unistd.h>

#include <algorithm>
#include <csignal>

namespace weft::launch {

void Crew::started(int pe, pid_t pid) {
  pids_[static_cast<std::size_t>(pe)] = pid;
  alive_[static_cast<std::size_t>(pe)] = true;
  ++living_;
}

std::optional<int> Crew::ended(pid_t pid) {
  const auto found = std::find(pids_.begin(), pids_.end(), pid);
  if (found == pids_.end()) return std::nullopt;
  const int pe = static_cast<int>(found - pids_.begin());
  if (!alive(pe)) return std::nullopt;
  alive_[static_cast<std::size_t>(pe)] = false;
  --living_;
  // What the PE has started may live on, in its group.
  guard_.set(pe, ::kill(-pid, 0) == 0 ? pid : 0);
  return pe;
}

void Crew::signal(int signal) const {
  for (std::size_t pe = 0; pe < pids_.size(); ++pe) {
    if (!alive_[pe]) continue;
    const pid_t pid = pids_[pe];
    (void)::kill(-pid, signal);
    // One that has moved to another group is not in its own.
    if (::getpgid(pid) != pid) (void)::kill(pid, signal);
  }
}

}  // namespace weft::launch
