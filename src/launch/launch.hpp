// Runs a job: starts its PEs, passes on what they write, and ends them all when the job is over.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "launch/command/arguments.hpp"
#include "launch/command/called.hpp"
#include "launch/command/debug_plan.hpp"
#include "launch/hosts/errand.hpp"
#include "launch/processes/bindings.hpp"
#include "launch/processes/job.hpp"
#include "launch/processes/starter.hpp"
#include "launch/streams/outputs.hpp"

namespace weft::launch {

struct Order {
  command::Called called;
  processes::Job job;
  std::vector<processes::ProgramPart> programs;  // of PEs that follow one another
  std::vector<cpu_set_t> bindings;               // of each PE; empty: they run where we may
  streams::OutputFiles files;
  command::InputTo input = command::InputTo::kPe0;
  bool tag_output = false;
  bool verbose = false;
  bool report_bindings = false;
  command::DebugPlan debug;
  std::uint64_t timeout = 0;  // ns; 0: none
  std::string timeout_text;
  std::uint64_t hang_after = 0;  // ns; 0: nobody is told of long waits
  /// Where the PEs run on other hosts: what their agents are told. Then `job` is a mirror (mirror.hpp), and programs,
  /// bindings and files are the agents' business.
  const hosts::Errand* errand = nullptr;
};

/// Returns the exit code of the job. Nothing that belonged to it is left then. To be called once in a process: it
/// takes over signals and children.
int run(const Order& order);

}  // namespace weft::launch
