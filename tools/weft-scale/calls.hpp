// Collectives between machines that are made up: those who speak for a node each run Weft's code, by turns on stacks of
// their own.
#pragma once

#include "world.hpp"

namespace weft::scale {

/// shmem_barrier_all, as far as it goes between nodes.
Ns barrier(Events& events, Network& network, int nodes, int pes);

/// shmem_fcollectmem of so many bytes of each PE, as far as it goes between nodes.
Ns fcollect(Events& events, Network& network, int nodes, int pes, std::size_t bytes);

/// What shmem_alltoallmem takes between nodes, by reckoning: each PE has messages to 16 others under way, to all in
/// turn.
struct Alltoall {
  double messages = 0;
  double bytes = 0;
  double ns = 0;
};
Alltoall alltoall(const Rates& rates, int nodes, int pes, std::size_t bytes);

}  // namespace weft::scale
