// The threads of teams, but the primary ones: they are made when a region needs them and wait at their team's dock for
// the next one.
#pragma once

#include "omp/state/team.hpp"

namespace weft::omp {

/// The team has its threads. Where the system gives no more, the program ends with a line.
void hire(Thread& self, Team& team) noexcept;
/// They end, and the team's memory is given back.
void dissolve(Team& team) noexcept;

}  // namespace weft::omp
