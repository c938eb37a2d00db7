#include "doctor/stacks.hpp"

#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <fstream>
#include <sstream>

#include "doctor/process.hpp"
#include "helper/helper.hpp"
#include "os/clock.hpp"
#include "os/process.hpp"

namespace weft::doctor {
namespace {

constexpr std::size_t kMostStacks = 8;  // people read these, and each takes a tenth of a second
constexpr std::uint64_t kPatienceMs = 4000;
constexpr std::size_t kMostCalls = 24;

// Innermost first; nothing when the system does not let us look.
std::vector<std::string> stack_of(const std::string& tool, int pid, int thread, int patience_ms) {
  const base::Result<helper::Answer> answer = helper::ask(
      tool, {"weft-where", "-s", std::to_string(pid), std::to_string(thread)}, patience_ms, helper::Errors::kQuiet);
  // One that had to be ended while it looked leaves the process stopped; it was not before.
  if ((!answer || answer->status != 0) && os::is_stopped(pid)) (void)::kill(pid, SIGCONT);
  std::vector<std::string> calls;
  if (!answer || answer->status != 0) return calls;
  std::istringstream lines(answer->text);
  for (std::string line; calls.size() < kMostCalls && std::getline(lines, line);) calls.push_back(std::move(line));
  return calls;
}

std::string why_not(const std::string& tool) {
  if (::access(tool.c_str(), X_OK) != 0) return "weft-where is not installed";
  int scope = 0;
  std::ifstream("/proc/sys/kernel/yama/ptrace_scope") >> scope;
  if (scope > 0) {
    return "kernel.yama.ptrace_scope is " + std::to_string(scope) +
           (scope == 1 ? ", so only the job's own oshrun may look: send it SIGUSR1" : "");
  }
  return "this system does not let us look into them";
}

}  // namespace

std::string look_up_stacks(const Job& job, const std::string& tool, std::vector<Pe>& pes) {
  const bool anybody_waits = std::any_of(pes.begin(), pes.end(), [](const Pe& pe) { return pe.program_waits(); });
  const std::uint64_t end = os::now_ns() + kPatienceMs * 1'000'000;
  std::size_t shown = 0;
  std::vector<int> missed;
  for (std::size_t k = 0; k < pes.size(); ++k) {
    Pe& pe = pes[k];
    const bool is_shown = pe.runs() && !pe.stopped && !pe.held && !pe.openmp.is_there();
    const int pid = is_shown ? job.process_of(static_cast<int>(k)) : 0;
    if (pid == 0) continue;
    const std::uint64_t now = os::now_ns();
    if (shown < kMostStacks && now < end)
      pe.stack = stack_of(tool, pid, pid, static_cast<int>((end - now) / 1'000'000) + 1);
    if (pe.stack.empty()) {
      missed.push_back(static_cast<int>(k));
      if (shown == 0) break;  // nor those of the others
    } else {
      ++shown;
    }
  }
  if (missed.empty() || !(anybody_waits || shown > 0)) return {};
  if (shown == 0) return "which calls the " + word_for(pes) + "s that run are in cannot be seen: " + why_not(tool);
  return "the calls that " + name_of(missed, word_for(pes)) + (missed.size() == 1 ? " is" : " are") +
         " in are not shown";
}

std::string look_up_stacks(const Job& job, const std::string& tool, const OpenMpView& view, ThreadStacks& stacks) {
  const std::uint64_t end = os::now_ns() + kPatienceMs * 1'000'000;
  const std::vector<ThreadOf> running = view.running();
  for (const ThreadOf& each : running) {
    const int pid = job.process_of(each.pe);
    const auto thread = static_cast<int>(view.at(each).id);
    const std::uint64_t now = os::now_ns();
    // Of that process: what a record says is not believed.
    if (pid == 0 || os::is_stopped(pid) || !has_thread(pid, thread) || stacks.size() == kMostStacks || now >= end) {
      continue;
    }
    std::vector<std::string> calls = stack_of(tool, pid, thread, static_cast<int>((end - now) / 1'000'000) + 1);
    if (calls.empty() && stacks.empty()) {
      return "which calls the threads that run are in cannot be seen: " + why_not(tool);
    }
    if (!calls.empty()) stacks[each] = std::move(calls);
  }
  return {};
}

}  // namespace weft::doctor
