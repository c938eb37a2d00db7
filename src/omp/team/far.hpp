// Teams over processes that have no memory together (omp/far): in each of them a team of the threads it has there, with
// their numbers in all. The outermost regions of main are such.
#pragma once

#include "omp/team/team.hpp"

namespace weft::omp {

/// Threads of a team in this process: from which one on, and in how many processes there are some.
struct Spread {
  int first = 0;
  int here = 1;
  int processes = 1;
};
Spread spread_of(const Thread& self, int threads) noexcept;
Team& take_team(Thread& self, int threads, const Spread& spread) noexcept;
/// All its constructs anew, as the other processes' teams have them.
void begin_works(Team& team) noexcept;

/// In process 0: the region begins in the others. When it is over here: until it is there.
void begin_there(Team& team, unsigned flags) noexcept;
void end_there(const void* site) noexcept;

/// Threads that all processes have, where nobody says how many; 0: this process is the program's memory.
int usual_threads_of_all() noexcept;

}  // namespace weft::omp
