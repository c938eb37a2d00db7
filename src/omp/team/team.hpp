// Parallel regions: how many threads, which ones, begin and end.
#pragma once

#include "omp/state/team.hpp"

namespace weft::omp {

/// How many threads a region gets that asks for so many (0: as the variables say) and has so many sections (0: no
/// matter).
int resolve_threads(Thread& self, unsigned asked, unsigned sections) noexcept;

/// A team of so many threads for this one's next region: to be changed before go(). Over all processes if that can be
/// and `may_be_far`.
Team& take_team(Thread& self, int threads, bool may_be_far = true) noexcept;
/// All begin; this thread is number 0 of it from here on.
void go(Thread& self, Team& team, void (*body)(void*), void* argument, unsigned flags) noexcept;
/// All tasks are done and all threads through; this one is where it was before.
void join(Thread& self, const void* site) noexcept;
/// For people (TellPosition).
const void* tell_position(boot::ThreadRecord& record) noexcept;

/// The threads that wait for this thread's next region end. False: it is in a region now.
bool let_go(Thread& self) noexcept;

/// OMP_DISPLAY_AFFINITY: this thread's line, where the team is not as it was when it was last told.
void show_affinity(const Thread& self) noexcept;

inline int size_of(const Thread& self) noexcept { return self.at.team != nullptr ? self.at.team->size : 1; }

/// A word of the program's memory that all processes have where each has its library's state to itself, zero at first.
/// Null: they share that.
void** far_word() noexcept;

}  // namespace weft::omp
