// A job that the tests of launch::rules::Watch make up.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <new>
#include <string>
#include <utility>
#include <vector>

#include "api/calls.hpp"
#include "launch/rules/watch.hpp"

namespace weft::launch::rules {

using boot::Phase;
using boot::Waiting;

// Wait statuses as the kernel makes them.
constexpr int exited(int code) { return code << 8; }
constexpr int killed(int signal) { return signal; }

/// A job whose PEs, clock and signals are made up by the test.
class WatchTest : public testing::Test {
 protected:
  void begin(int n_pes) { begin(n_pes, n_pes); }
  void begin(int started, int n_pes) {
    const std::size_t bytes = boot::control_bytes(n_pes);
    memory_.reset(static_cast<std::byte*>(std::aligned_alloc(4096, bytes)));
    std::memset(memory_.get(), 0, bytes);
    job = new (memory_.get()) boot::JobHeader{};
    job->n_pes = static_cast<std::uint32_t>(n_pes);
    watch = std::make_unique<Watch>(job);
    for (int pe = 0; pe < started; ++pe) watch->started(pe, 100 + pe);
    (void)watch->take_actions();
    watch->look(now);
  }
  void in_phase(Phase phase) {
    for (int pe = 0; pe < static_cast<int>(job->n_pes); ++pe) in_phase(pe, phase);
  }
  void in_phase(int pe, Phase phase) { boot::pe_record(job, pe)->phase = static_cast<std::uint32_t>(phase); }
  void waits(int pe, Waiting why, api::Call call = api::Call::kNone) {
    boot::pe_record(job, pe)->waits[0].since = now;
    boot::pe_record(job, pe)->waits[0].why = static_cast<std::uint32_t>(why);
    in_call(pe, call);
  }
  void in_call(int pe, api::Call call) { boot::pe_record(job, pe)->call = static_cast<std::uint32_t>(call); }
  void ends(int pe, int status) { watch->ended(pe, status, now); }
  void asks_exit(int status, int pe = 0) {
    boot::pe_record(job, pe)->presence.exit_asked = boot::exit_request(pe, status);
    job->exit_request = boot::exit_request(pe, status);
  }

  // Lets time pass as the launcher does: it looks when the watch wants it to.
  void pass(std::uint64_t milliseconds) {
    const std::uint64_t end = now + milliseconds * kMillisecond;
    for (auto next = watch->next_look(); next && *next <= end; next = watch->next_look()) {
      now = std::max(now, *next);
      watch->look(now);
      collect();
    }
    now = end;
    collect();
  }
  void collect() {
    for (const Action& action : watch->take_actions()) {
      if (action.kind == Action::Kind::kSay) said += (said.empty() ? "" : "\n") + action.text;
      if (action.kind == Action::Kind::kReport) ++reports;
      if (action.kind == Action::Kind::kNote) notes += action.text + "\n";
      if (action.kind == Action::Kind::kSignal) signals.push_back(action.signal);
    }
  }
  // What has been said since the last call, and to the PEs.
  std::string take_said() {
    collect();
    return std::exchange(said, {});
  }
  std::vector<int> take_signals() {
    collect();
    return std::exchange(signals, {});
  }

  struct Free {
    void operator()(std::byte* memory) const { std::free(memory); }
  };
  std::unique_ptr<std::byte[], Free> memory_;
  boot::JobHeader* job = nullptr;
  std::unique_ptr<Watch> watch;
  std::uint64_t now = 1000 * kMillisecond;
  std::string said;
  std::string notes;
  int reports = 0;
  std::vector<int> signals;
};

using Signals = std::vector<int>;

}  // namespace weft::launch::rules
