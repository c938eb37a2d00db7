// What waits for tasks and what makes them have in common.
#pragma once

#include "omp/state/team.hpp"

namespace weft::omp {

/// The lock is held; it is let go to run the task. Who waits for something else than work goes on after one task.
void take_and_run(Thread& self, Team& team, Task& task, bool keeps = false) noexcept;

}  // namespace weft::omp
