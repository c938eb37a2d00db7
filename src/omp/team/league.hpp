// The league of teams that the program is in: on the host its teams run one after the other.
#pragma once

namespace weft::omp {

void set_league(unsigned teams, unsigned team) noexcept;
unsigned number_of_teams() noexcept;
unsigned number_of_team() noexcept;

}  // namespace weft::omp
