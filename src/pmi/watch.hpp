// Over several nodes nobody that waits need be where a PE ended, and not every manager minds: a thread on each node
// does.
#pragma once

#include "base/result.hpp"
#include "boot/job.hpp"

namespace weft::pmi {

/// The first PE of a node watches the processes of all its PEs, the others the first. One that ends between shmem_init
/// and shmem_finalize is told to `lost`, by its number on the node, after a while in which the manager may end the job
/// by itself. The thread sleeps until then.
base::Result<void> watch_neighbours(boot::JobHeader* job, int local, void (*lost)(int local) noexcept) noexcept;

}  // namespace weft::pmi
