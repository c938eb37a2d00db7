// The league of teams that the program is in: on the host its teams run one after the other.
#pragma once

#include "omp/state/team.hpp"

namespace weft::omp {

void set_league(unsigned teams, unsigned team) noexcept;
unsigned number_of_teams() noexcept;
unsigned number_of_team() noexcept;

/// So many teams, each with at most so many threads (0: as OMP_TEAMS_THREAD_LIMIT says).
void run_league(Thread& self, unsigned teams, unsigned limit, void (*body)(void*), void* argument) noexcept;

}  // namespace weft::omp
