// The PEs of a job as nodes: sets that share memory. Each PE says who leads its node, and all make the same of it.
#pragma once

#include <cstdint>
#include <new>

#include "base/result.hpp"

namespace weft::pmi {

/// Where a PE is.
struct Place {
  std::int32_t node = 0;
  std::int32_t local = 0;  // its number on the node
};

/// leaders[pe] is the lowest PE of the node that PE is on, by its own finding. Nodes are numbered by their leaders, PEs
/// of a node by their numbers in the job. places has room for n. Returns the number of nodes; an error where one PE
/// says of another what that one does not say of itself.
base::Result<int> group(const std::int32_t* leaders, int n, Place* places) noexcept;

}  // namespace weft::pmi
