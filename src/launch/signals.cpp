#include "launch/runner.hpp"

#include <sys/wait.h>

#include <csignal>
#include <optional>
#include <utility>

namespace weft::launch {

void Runner::take_signals(std::uint64_t now) {
  while (const int signal = signals_.next()) {
    switch (signal) {
      case SIGCHLD: reap(now); break;
      case SIGUSR1:
        say("this is what the PEs do:");
        report();
        break;
      case SIGUSR2: signal_all(signal); break;
      case SIGTSTP: stop_all(); break;
      case SIGCONT:
        foreground_.give(gdb_);
        signal_all(SIGCONT);
        if (fleet_) fleet_->continued(std::exchange(longest_turn_, 0));
        watch_.continued(os::now_ns());
        break;
      default: watch_.told_to_end(signal, now); break;
    }
  }
}

void Runner::stop_all() {
  signal_all(SIGTSTP);
  foreground_.take_back();
  if (fleet_) fleet_->pause();
  processes::stop_self();
  last_turn_ = os::now_ns();  // agents know of this stop
  // gdb's stop was our doing.
  siginfo_t ignored{};
  if (gdb_ > 0) (void)::waitid(P_PID, static_cast<id_t>(gdb_), &ignored, WSTOPPED | WNOHANG);
}

void Runner::reap(std::uint64_t now) {
  for (;;) {
    int status = 0;
    const pid_t pid = ::waitpid(-1, &status, WNOHANG | (gdb_ > 0 ? WUNTRACED : 0));
    if (pid <= 0) return;
    if (WIFSTOPPED(status)) {
      if (pid == gdb_) stop_all();  // Ctrl-Z at its prompt
      continue;
    }
    if (crew_.guard().ended(pid) || (fleet_ && fleet_->child_ended(pid, status))) continue;
    const std::optional<int> ended = crew_.ended(pid);
    if (!ended) {  // an orphan of a PE, or a debugger
      if (pid == debuggers_.server()) crew_.guard().set(n_pes_, 0);
      debuggers_.ended(pid);
      continue;
    }
    const int pe = *ended;
    forward_.drain(pe, now);
    notice_broken_output();
    if (WIFSIGNALED(status)) watch_.surroundings(rules::read_limits(), memory_state());
    watch_.ended(pe, status, now);
    if (pid == gdb_) {
      gdb_ = 0;
      foreground_.restore();
    }
    input_.pe_ended(pe);
  }
}

rules::OutOfMemory Runner::memory_state() const {
  const std::optional<std::uint64_t> kills = rules::out_of_memory_kills();
  if (!kills || !kills_before_) return rules::OutOfMemory::kUnknown;
  return *kills != *kills_before_ ? rules::OutOfMemory::kYes : rules::OutOfMemory::kNo;
}

}  // namespace weft::launch
