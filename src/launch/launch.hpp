// Runs a job: starts its PEs, passes on what they write, and ends them all when the job is over.
#pragma once

#include <string>

#include "launch/job.hpp"

namespace weft::launch {

struct Order {
  Job job;
  std::string path;            // of the program
  char** arguments = nullptr;  // the program's argv
  bool verbose = false;
};

/// Returns the exit code of the job. Nothing that belonged to it is left then. To be called once in a process: it
/// takes over signals and children.
int run(const Order& order);

}  // namespace weft::launch
