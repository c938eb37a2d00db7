#include "launch/processes/crew.hpp"

#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>

#include "os/process.hpp"

namespace weft::launch::processes {

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

std::vector<int> Crew::held() {
  std::vector<int> found;
  for (std::size_t pe = 0; pe < pids_.size(); ++pe) {
    if (!alive_[pe] || !os::is_zombie(pids_[pe])) continue;
    // It may be ours to reap by now: then we shall be told.
    siginfo_t ended{};
    if (::waitid(P_PID, static_cast<id_t>(pids_[pe]), &ended, WEXITED | WNOHANG | WNOWAIT) == 0 && ended.si_pid != 0) {
      continue;
    }
    alive_[pe] = false;
    --living_;
    found.push_back(static_cast<int>(pe));
  }
  return found;
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

}  // namespace weft::launch::processes
