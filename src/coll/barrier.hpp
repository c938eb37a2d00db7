// barrier_all and sync_all (OpenSHMEM 1.6, sections 9.10.1 and 9.10.4).
#pragma once

#include "boot/job.hpp"

namespace weft::coll {

/// Once per job, before the first barrier. The flags in shared memory and the count of barriers outlive a finalize,
/// so that a second init goes on where the first ended.
void set_up_barrier() noexcept;

/// All PEs have arrived, and everything each did before is visible to all.
void barrier(boot::Waiting why) noexcept;

}  // namespace weft::coll
