// On which NUMA nodes memory lies.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdio>

#include "base/result.hpp"

namespace weft::os {

/// Bytes on each node.
struct NodeUse {
  static constexpr int kNodes = 1024;  // no kernel is built for more
  std::size_t bytes[kNodes] = {};
};

/// Of what this process has touched in [lo, hi), where mappings begin and end; pages that only others have touched are
/// not among them. The error says that the kernel does not tell.
base::Result<NodeUse> node_use(std::uintptr_t lo, std::uintptr_t hi) noexcept;

/// The same from the text of /proc/PID/numa_maps.
NodeUse read_numa_maps(std::FILE* maps, std::uintptr_t lo, std::uintptr_t hi) noexcept;

/// "8 MiB touched by this PE, 6 MiB on node 0, 2 MiB on node 1". Returns `text`, which holds kNodeTextSize characters;
/// nodes for which they do not suffice are left out.
inline constexpr int kNodeTextSize = 400;
const char* node_text(const NodeUse& use, char* text) noexcept;

}  // namespace weft::os
