#include "launch/command/debug_plan.hpp"

#include <unistd.h>

#include <cstdlib>
#include <optional>
#include <utility>

#include "launch/command/program.hpp"
#include "launch/command/ranges.hpp"

namespace weft::launch::command {
namespace {

using base::Error;
using base::Result;

// More windows at once nobody looks at, and each gdb takes as much memory as a small PE.
constexpr std::size_t kMostDebugged = 16;

std::string find(const char* name) {
  const Program program = find_program(name, std::getenv("PATH"));
  return program.exit_code == 0 ? program.path : std::string();
}

bool is_set(const char* variable) {
  const char* value = std::getenv(variable);
  return value != nullptr && value[0] != '\0';
}

DebugIn choose(const Surroundings& with, std::size_t pes) {
  if (with.gdb.empty()) return DebugIn::kAttach;
  if (pes == 1 && with.on_terminal) return DebugIn::kHere;
  if (with.in_tmux && !with.tmux.empty()) return DebugIn::kTmux;
  if (with.has_display && !with.emulator.empty()) return DebugIn::kTerminals;
  return with.tmux.empty() ? DebugIn::kAttach : DebugIn::kTmux;
}

// Why the wish cannot be met, "" when it can.
std::string obstacle(const std::string& wish, const Surroundings& with, std::size_t pes) {
  if (wish == "attach") return {};
  if (with.gdb.empty()) return "gdb is not in PATH; install it, or choose attach and use a debugger of your own";
  if (wish == "tmux" && with.tmux.empty()) return "tmux is not in PATH; install it, or choose terminals or attach";
  if (wish == "terminals" && !with.has_display) return "DISPLAY is not set; choose tmux or attach";
  if (wish == "terminals" && with.emulator.empty()) {
    return "neither x-terminal-emulator nor xterm is in PATH; install one, or choose tmux or attach";
  }
  if (wish == "here" && pes != 1) {
    return std::to_string(pes) + " PEs cannot share a terminal; name one, such as --debug=0, or choose tmux";
  }
  if (wish == "here" && !with.on_terminal) return "this is no terminal; choose tmux or attach";
  return {};
}

CommandLine operator+(CommandLine words, const CommandLine& more) {
  words.insert(words.end(), more.begin(), more.end());
  return words;
}

CommandLine gdb_at(const DebugPlan& plan, pid_t pid) { return {plan.with.gdb, "-q", "-p", std::to_string(pid)}; }

}  // namespace

Surroundings look_around() {
  Surroundings found;
  found.gdb = find("gdb");
  found.tmux = find("tmux");
  found.emulator = find("x-terminal-emulator");
  if (found.emulator.empty()) found.emulator = find("xterm");
  found.on_terminal = ::isatty(STDIN_FILENO) == 1 && ::isatty(STDOUT_FILENO) == 1 && ::isatty(STDERR_FILENO) == 1;
  found.in_tmux = is_set("TMUX");
  found.has_display = is_set("DISPLAY");
  return found;
}

Result<DebugPlan> plan_debugging(const Arguments& arguments, Surroundings with) {
  DebugPlan plan;
  if (!arguments.debug) return plan;
  const Result<std::vector<int>> pes = read_pe_list(arguments.debug_pes, arguments.n_pes);
  if (!pes) return pes.error();
  if (pes->size() > kMostDebugged) {
    return Error::make("--debug: a debugger for each of %zu PEs is too much; name up to %zu, such as --debug=0,1",
                       pes->size(), kMostDebugged);
  }
  const std::string& wish = arguments.debug_in;
  const std::string problem = wish.empty() ? std::string() : obstacle(wish, with, pes->size());
  if (!problem.empty()) return Error::make("--debug-in %s: %s", wish.c_str(), problem.c_str());
  plan.in = wish == "here"        ? DebugIn::kHere
            : wish == "tmux"      ? DebugIn::kTmux
            : wish == "terminals" ? DebugIn::kTerminals
            : wish == "attach"    ? DebugIn::kAttach
                                  : choose(with, pes->size());
  plan.pes = *pes;
  plan.with = std::move(with);
  return plan;
}

Result<std::vector<int>> read_pe_list(const std::string& text, int n_pes) {
  const std::string list = text.empty() ? "0-" + std::to_string(n_pes - 1) : text;
  const std::optional<std::vector<int>> pes = read_ranges(list, n_pes);
  if (!pes) {
    return Error::make(
        "--debug=%.100s: not PEs of this job; name some from 0 to %d, such as --debug=0 or --debug=0,2-3", text.c_str(),
        n_pes - 1);
  }
  return *pes;
}

CommandLine gdb_before(const DebugPlan& plan, const std::string& program, const CommandLine& arguments) {
  return CommandLine{plan.with.gdb, "-q", "--args", program} + arguments;
}

CommandLine tmux_window(const DebugPlan& plan, const std::string& socket, bool first, int pe, pid_t pid) {
  CommandLine words{plan.with.tmux};
  if (!socket.empty()) words = words + CommandLine{"-S", socket};
  words.push_back(first && !socket.empty() ? "new-session" : "new-window");
  const CommandLine rest{"-d", "-P", "-F", "#{pid} #{window_id}", "-n", "PE " + std::to_string(pe)};
  return words + rest + gdb_at(plan, pid);
}

CommandLine terminal_window(const DebugPlan& plan, pid_t pid) {
  return CommandLine{plan.with.emulator, "-e"} + gdb_at(plan, pid);
}

}  // namespace weft::launch::command
