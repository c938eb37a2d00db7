#include "launch/runner.hpp"

#include <unistd.h>

#include <memory>
#include <optional>

#include "launch/processes/bindings.hpp"
#include "launch/processes/starter.hpp"

namespace weft::launch {
namespace {

// How long PEs are started before a look at those that run.
constexpr std::uint64_t kTurnTime = 20 * rules::kMillisecond;

}  // namespace

void Runner::start_all() {
  const bool debugs = order_.debug.in != command::DebugIn::kNowhere;
  if (!debugs)
    watch_.begun(os::now_ns(), ::isatty(STDERR_FILENO) == 1 ? rules::Watch::kSlowStart : rules::Watch::kVerySlowStart);
  debuggers_.hold();
  watch_.report_waits(order_.hang_after);
  if (order_.timeout > 0) watch_.limit(os::now_ns() + order_.timeout, order_.timeout_text);
  if (order_.errand != nullptr) {
    start_elsewhere();
  } else {
    start_here();
  }
  watch_.look(os::now_ns());
  act();
}

void Runner::start_elsewhere() {
  fleet_ = std::make_unique<hosts::Fleet>(
      hosts::Fleet::Owner{poller_, forward_, watch_, [this](int pe) { ended_elsewhere(pe); }, order_.called},
      *order_.errand, order_.job, signals_.reset_in_children());
  fleet_->start(os::now_ns());
  if (const int from = input_.open(0); from >= 0) fleet_->read_input_from(from);
}

void Runner::ended_elsewhere(int pe) {
  if (order_.input == command::InputTo::kPe0) input_.pe_ended(pe);
}

void Runner::start_here() {
  processes::Starter starter(order_.job, order_.programs, order_.files, signals_.reset_in_children());
  std::optional<processes::NotStarted> problem = starter.prepare(input_.has_pipes());
  crew_.guard(1, *order_.job.header);  // for tmux
  replacements_.emplace(n_pes_, crew_.guard().mark());
  std::uint64_t last_turn = os::now_ns();
  for (int pe = 0; pe < n_pes_ && !problem && watch_.is_running(); ++pe) {
    const bool here = debuggers_.is_here(pe);
    if (here) foreground_.lend();
    const int input = here ? -1 : input_.open(pe);
    processes::Started started;
    const cpu_set_t* cpus = order_.bindings.empty() ? nullptr : &order_.bindings[static_cast<std::size_t>(pe)];
    problem = starter.start(pe, {input, cpus, here ? &order_.debug : nullptr}, crew_.guard().place(pe), &started);
    if (input > STDERR_FILENO) (void)::close(input);
    if (problem) break;
    crew_.started(pe, started.pid);
    if (here) gdb_ = started.pid;
    if (started.out >= 0) forward_.adopt(pe, started.out, started.err);
    watch_.started(pe, started.pid);
    if (order_.report_bindings) report_binding(pe, cpus);
    if (os::now_ns() - last_turn < kTurnTime) continue;
    turn(false);  // thousands of PEs take seconds: they write meanwhile, may fail, and the user may have enough
    last_turn = os::now_ns();
  }
  if (problem) {
    say(problem->text);
    watch_.not_started(problem->exit_code, os::now_ns());
  }
}

void Runner::report_binding(int pe, const cpu_set_t* cpus) {
  say("PE " + std::to_string(pe) + (cpus != nullptr ? " is bound to" : " is not bound: it may run on") +
      " processors " + processes::cpu_list(cpus != nullptr ? *cpus : processes::own_cpus()));
}

}  // namespace weft::launch
