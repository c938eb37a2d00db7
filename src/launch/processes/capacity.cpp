#include "launch/processes/capacity.hpp"

#include <unistd.h>

#include <algorithm>
#include <utility>

#include "launch/processes/bindings.hpp"
#include "os/cpus.hpp"
#include "os/memory_info.hpp"

namespace weft::launch::processes {

base::Result<Capacity> find_capacity(const base::Options& options, int n_pes, const std::string& bind_to,
                                     const std::string& map_by) {
  Capacity found;
  const os::MemoryInfo memory = os::memory_info();
  const base::MemoryBound bound{memory.bytes, memory.is_container, static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE))};
  const base::Result<std::uint64_t> heap = base::heap_bytes_per_pe(options, n_pes, bound);
  if (!heap) return heap.error();
  found.heap_bytes = *heap;
  found.cpus = os::usable_cpus();
  if (bind_to == "none") return found;
  base::Result<std::vector<cpu_set_t>> bindings = find_bindings(n_pes, bind_to, map_by.empty() ? "core" : map_by);
  if (!bindings) return bindings.error();
  found.bindings = std::move(*bindings);
  found.cpus = std::min(found.cpus, count_cpus(found.bindings));
  return found;
}

}  // namespace weft::launch::processes
