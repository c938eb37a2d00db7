#include "placement/nodes.hpp"

#include <hwloc.h>

namespace weft::placement {

void choose_nodes(hwloc_topology* machine, base::Numa how, const hwloc_bitmap_s* cpus, hwloc_bitmap_s* nodes) noexcept {
  const auto all = hwloc_topology_get_allowed_nodeset(machine);
  if (how == base::Numa::kBind) {
    hwloc_cpuset_to_nodeset(machine, cpus, nodes);
    hwloc_bitmap_and(nodes, nodes, all);
  } else {
    hwloc_bitmap_copy(nodes, all);
  }
  hwloc_bitmap_t filled = hwloc_bitmap_alloc();
  for (hwloc_obj_t node = nullptr; (node = hwloc_get_next_obj_by_type(machine, HWLOC_OBJ_NUMANODE, node)) != nullptr;) {
    if (node->attr->numanode.local_memory > 0 && hwloc_bitmap_isset(nodes, node->os_index) != 0) {
      hwloc_bitmap_set(filled, node->os_index);
    }
  }
  if (hwloc_bitmap_iszero(filled) == 0) {
    hwloc_bitmap_copy(nodes, filled);
  }
  hwloc_bitmap_free(filled);
}

}  // namespace weft::placement
