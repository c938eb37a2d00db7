// Runs a job: starts its PEs, passes on what they write, and ends them all when the job is over.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "launch/arguments.hpp"
#include "launch/bindings.hpp"
#include "launch/debug_plan.hpp"
#include "launch/hosts/errand.hpp"
#include "launch/job.hpp"
#include "launch/outputs.hpp"
#include "launch/starter.hpp"

namespace weft::launch {

struct Order {
  Job job;
  std::vector<ProgramPart> programs;  // of PEs that follow one another
  std::vector<cpu_set_t> bindings;    // of each PE; empty: they run where we may
  OutputFiles files;
  InputTo input = InputTo::kPe0;
  bool tag_output = false;
  bool verbose = false;
  bool report_bindings = false;
  DebugPlan debug;
  std::uint64_t timeout = 0;  // ns; 0: none
  std::string timeout_text;
  std::uint64_t hang_after = 0;  // ns; 0: nobody is told of long waits
  /// Where the PEs run on other hosts: what their agents are told. Then `job` is a mirror (mirror.hpp), and programs,
  /// bindings and files are the agents' business.
  const Errand* errand = nullptr;
};

/// Returns the exit code of the job. Nothing that belonged to it is left then. To be called once in a process: it
/// takes over signals and children.
int run(const Order& order);

}  // namespace weft::launch
