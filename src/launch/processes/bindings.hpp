// The processors that PEs are bound to, and how people read them.
#pragma once

#include <sched.h>

#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"

namespace weft::launch::processes {

/// "0-3,8", as the kernel writes it.
std::string cpu_list(const cpu_set_t& cpus);
base::Result<cpu_set_t> read_cpu_list(std::string_view text);

/// Asks weft-bindings, which lies beside oshrun, which processors each PE is to have.
base::Result<std::vector<cpu_set_t>> find_bindings(int n_pes, const std::string& bind_to, const std::string& map_by);

/// The processors this process may run on itself.
cpu_set_t own_cpus();

/// How many different ones there are in all of them.
int count_cpus(const std::vector<cpu_set_t>& bindings);

}  // namespace weft::launch::processes
