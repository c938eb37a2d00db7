// The barrier of a team, at which all its tasks are done too.
#pragma once

#include "omp/state/team.hpp"

namespace weft::omp {

/// Where `work` ends, its place is free for a later construct. `site`: of the program's call.
void barrier(Thread& self, const void* site, Work* work = nullptr) noexcept;
/// True: the region was cancelled, and not all have come.
bool barrier_cancel(Thread& self, const void* site, Work* work = nullptr) noexcept;

/// All threads of the team are through with the work.
void free_work(Work& work) noexcept;

}  // namespace weft::omp
