// The three lists that a ready task is in: the team's, its parent's and its group's. All under the team's lock.
#pragma once

#include "omp/state/team.hpp"

namespace weft::omp {

enum class End { front, back };

/// Behind those of the same or a higher priority (or, at the front, before those of the same).
void put(TaskList& list, Link Task::*link, Task& task, End end) noexcept;
void take(TaskList& list, Link Task::*link, Task& task) noexcept;

inline Task* first_of(const TaskList& list) noexcept { return list.first.load(std::memory_order_relaxed); }

}  // namespace weft::omp
