// Which processors each PE of a job is bound to.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/result.hpp"

// hwloc's, whose header only those need who build with it.
struct hwloc_topology;

namespace weft::placement {

enum class Unit : std::uint8_t { kCore, kSocket, kNuma };

/// The words of oshrun's options, in the order of Unit.
inline constexpr const char* kUnitWords[] = {"core", "socket", "numa"};

/// The processors of each PE as the kernel writes lists ("0-3,8"). PEs are dealt out to the units of `map` in turn,
/// each taking the next core there, and begin anew when there is none; a PE is bound to the unit of `bind` that its
/// core is in. The topology holds what the job may use, and nothing else.
base::Result<std::vector<std::string>> choose_bindings(hwloc_topology* machine, int n_pes, Unit bind, Unit map);

}  // namespace weft::placement
