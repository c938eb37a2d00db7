// How many processors a job may count on.
#pragma once

namespace weft::os {

/// Processors this process may use: its affinity mask, and no more than the CPU quota of its control group.
int usable_cpus() noexcept;

/// Has the kernel take this thread to another processor that it may run on. What it may run on stays; somebody who
/// changes that at this very moment is overruled. False: there is no other one.
bool leave_processor() noexcept;

}  // namespace weft::os
