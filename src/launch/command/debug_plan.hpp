// Which debugger is opened where for --debug: decisions and command lines, nothing is started here.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "launch/command/arguments.hpp"

namespace weft::launch::command {

/// What there is to open a debugger with. Paths; empty where there is none.
struct Surroundings {
  std::string gdb = {};
  std::string tmux = {};
  std::string emulator = {};  // of a terminal
  bool on_terminal = false;   // we read from one and write to it
  bool in_tmux = false;
  bool has_display = false;
};
Surroundings look_around();

enum class DebugIn : std::uint8_t {
  kNowhere,    // nothing is debugged
  kHere,       // the PE is gdb, which has our terminal
  kTmux,       // the PE waits before main; a window with gdb for each
  kTerminals,  // the same, each in a terminal emulator of its own
  kAttach,     // the PE waits before main for whoever comes; how to come is said
};

struct DebugPlan {
  DebugIn in = DebugIn::kNowhere;
  std::vector<int> pes;
  Surroundings with;
};

base::Result<DebugPlan> plan_debugging(const Arguments& arguments, Surroundings with);

/// "0,2-5": PEs below `n_pes`, in ascending order.
base::Result<std::vector<int>> read_pe_list(const std::string& text, int n_pes);

using CommandLine = std::vector<std::string>;

/// gdb in front of a program that it is to start.
CommandLine gdb_before(const DebugPlan& plan, const std::string& program, const CommandLine& arguments);
/// A window with gdb for a process that waits. `socket` is a tmux server of our own; empty: the user's. The first
/// window starts that server. tmux prints the number of its process and that of the window.
CommandLine tmux_window(const DebugPlan& plan, const std::string& socket, bool first, int pe, pid_t pid);
CommandLine terminal_window(const DebugPlan& plan, pid_t pid);

}  // namespace weft::launch::command
