// Which NUMA nodes a PE's pages belong on.
#pragma once

#include "base/options.hpp"

// hwloc's, whose header only those need who build with it.
struct hwloc_topology;
struct hwloc_bitmap_s;

namespace weft::placement {

/// Into `nodes`: bind takes those nearest to `cpus`, interleave all that the process may use. Nodes without memory,
/// which the kernel refuses when there is nothing else, are left out unless there is nothing else.
void choose_nodes(hwloc_topology* machine, base::Numa how, const hwloc_bitmap_s* cpus, hwloc_bitmap_s* nodes) noexcept;

}  // namespace weft::placement
