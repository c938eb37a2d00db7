#include "placement/bindings.hpp"

#include <hwloc.h>

#include <algorithm>

namespace weft::placement {
namespace {

using Sets = std::vector<hwloc_const_cpuset_t>;

// In hwloc's order, which is by nearness. Of a kind that the machine does not tell about, as virtual machines do, there
// is one, the machine; instead of cores there are hardware threads.
Sets units(hwloc_topology_t machine, Unit unit) {
  hwloc_obj_type_t type = unit == Unit::kNuma     ? HWLOC_OBJ_NUMANODE
                          : unit == Unit::kSocket ? HWLOC_OBJ_PACKAGE
                                                  : HWLOC_OBJ_CORE;
  if (unit == Unit::kCore && hwloc_get_nbobjs_by_type(machine, type) <= 0) type = HWLOC_OBJ_PU;
  Sets sets;
  for (hwloc_obj_t object = nullptr; (object = hwloc_get_next_obj_by_type(machine, type, object)) != nullptr;) {
    // Memory without processors is a node too. Several nodes (of fast and of large memory) may have the same ones.
    const auto same = [&](hwloc_const_cpuset_t other) { return hwloc_bitmap_isequal(other, object->cpuset) != 0; };
    if (hwloc_bitmap_iszero(object->cpuset) == 0 && std::none_of(sets.begin(), sets.end(), same)) {
      sets.push_back(object->cpuset);
    }
  }
  if (sets.empty()) sets.push_back(hwloc_get_root_obj(machine)->cpuset);
  return sets;
}

Sets within(const Sets& sets, hwloc_const_cpuset_t outer) {
  Sets inner;
  std::copy_if(sets.begin(), sets.end(), std::back_inserter(inner),
               [&](hwloc_const_cpuset_t set) { return hwloc_bitmap_isincluded(set, outer) != 0; });
  // A unit that is smaller than a core, as made-up machines may have.
  if (inner.empty()) inner.push_back(outer);
  return inner;
}

std::string list_of(hwloc_const_cpuset_t set) {
  std::string text(static_cast<std::size_t>(hwloc_bitmap_list_snprintf(nullptr, 0, set)), ' ');
  (void)hwloc_bitmap_list_snprintf(text.data(), text.size() + 1, set);
  return text;
}

}  // namespace

base::Result<std::vector<std::string>> choose_bindings(hwloc_topology* machine, int n_pes, Unit bind, Unit map) {
  const Sets cores = units(machine, Unit::kCore);
  const Sets targets = units(machine, bind);
  // Dealing to cores is dealing to a single unit, the machine, core after core.
  std::vector<Sets> cores_of;
  if (map == Unit::kCore) {
    cores_of.push_back(cores);
  } else {
    for (hwloc_const_cpuset_t unit : units(machine, map)) cores_of.push_back(within(cores, unit));
  }
  std::vector<std::string> chosen;
  for (std::size_t pe = 0; pe < static_cast<std::size_t>(n_pes); ++pe) {
    const Sets& here = cores_of[pe % cores_of.size()];
    hwloc_const_cpuset_t core = here[pe / cores_of.size() % here.size()];
    const auto around = std::find_if(targets.begin(), targets.end(), [&](hwloc_const_cpuset_t target) {
      return hwloc_bitmap_intersects(target, core) != 0;
    });
    if (around == targets.end()) {
      return base::Error::make("the processors %s are in no %s that hwloc knows; see what lstopo says",
                               list_of(core).c_str(), kUnitWords[static_cast<int>(bind)]);
    }
    chosen.push_back(list_of(*around));
  }
  return chosen;
}

}  // namespace weft::placement
