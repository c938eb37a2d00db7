// Places: which processors the threads of a team are bound to.
#pragma once

#include <pthread.h>

#include "omp/state/team.hpp"

namespace weft::omp {

/// Gives each thread of the team that is about to begin its place, by proc_bind: the clause (in the flags) or the
/// variable. The primary thread's own way of binding, or 0: threads are not bound.
unsigned bind_team(Thread& self, Team& team, unsigned flags) noexcept;
/// This thread, number so-and-so of the team, goes to its place.
void enter_place(Thread& self, const Team& team, int number) noexcept;
/// A thread of the program's own.
void place_initial(Thread& self) noexcept;
/// Where a thread begins that is being made.
void unbind_birth(pthread_attr_t* attributes, const Team& team, int number) noexcept;

}  // namespace weft::omp
