// The debuggers of --debug while the job runs: PEs that wait before main get theirs.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "boot/job.hpp"
#include "launch/command/debug_plan.hpp"

namespace weft::launch::processes {

class Debuggers {
 public:
  Debuggers(const command::DebugPlan& plan, boot::JobHeader* job);
  Debuggers(const Debuggers&) = delete;
  Debuggers& operator=(const Debuggers&) = delete;
  ~Debuggers() { close(); }

  /// This PE is gdb itself, on our terminal.
  bool is_here(int pe) const { return plan_.in == command::DebugIn::kHere && plan_.pes.front() == pe; }
  /// Before the PEs are started: those to be debugged are told to wait.
  void hold();
  /// Opens debuggers for PEs that wait by now. The result is what to tell the user.
  std::vector<std::string> look(std::uint64_t now);
  std::optional<std::uint64_t> next_look() const { return look_at_; }
  /// The process of a tmux server of our own, to be ended with the job; 0 when there is none.
  pid_t server() const { return server_; }
  /// And where it listens.
  const std::string& socket() const { return socket_; }
  /// A child of ours was reaped, maybe one of these (tmux's server is one, as an orphan of ours): what has its number
  /// next is not to be ended.
  void ended(pid_t pid);
  /// Closes what has been opened, and opens no more. A debugger that is told to end lets go of its PE, which only then
  /// hears of a signal.
  void close();

 private:
  std::string open(int pe, pid_t pid);
  std::string open_in_tmux(int pe, pid_t pid);
  bool make_folder();
  std::string open_terminal(int pe, pid_t pid);

  const command::DebugPlan& plan_;
  boot::JobHeader* job_;
  std::uint64_t mark_;        // of the job's processes (guard.hpp)
  std::vector<int> awaited_;  // PEs that do not wait yet
  std::optional<std::uint64_t> look_at_;
  bool own_server_;     // of tmux: the PEs' windows are in none of the user's
  std::string folder_;  // then: of its socket, for us alone
  std::string socket_;
  pid_t server_ = 0;
  std::vector<std::string> windows_;
  std::vector<pid_t> terminals_;
  int null_ = -1;
};

}  // namespace weft::launch::processes
