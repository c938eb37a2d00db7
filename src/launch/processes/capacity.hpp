// What this machine can give so many PEs: the same for oshrun itself and for an agent.
#pragma once

#include <sched.h>

#include <cstdint>
#include <string>
#include <vector>

#include "base/options.hpp"
#include "base/result.hpp"

namespace weft::launch::processes {

struct Capacity {
  std::uint64_t heap_bytes = 0;     // of each PE
  int cpus = 1;                     // that they may use
  std::vector<cpu_set_t> bindings;  // of each PE; empty: they run where we may
};

base::Result<Capacity> find_capacity(const base::Options& options, int n_pes, const std::string& bind_to,
                                     const std::string& map_by);

}  // namespace weft::launch::processes
