// How many processors a job may count on.
#pragma once

namespace weft::os {

/// Processors this process may use: its affinity mask, and no more than the CPU quota of its control group.
int usable_cpus() noexcept;

}  // namespace weft::os
