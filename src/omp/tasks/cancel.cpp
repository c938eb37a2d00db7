#include "omp/tasks/cancel.hpp"

namespace weft::omp {

bool tasks_cancelled(const Team& team, const Taskgroup* group) noexcept {
  if (!g_settings.cancellation) {
    return false;
  }
  if (team.cancelled.load(std::memory_order_relaxed)) {
    return true;
  }
  while (group != nullptr) {
    if (group->cancelled.load(std::memory_order_relaxed)) {
      return true;
    }
    if (!group->workshare) {
      return false;
    }
    group = group->outer;  // those of reductions belong to the construct, not to a taskgroup of the program
  }
  return false;
}

bool is_cancelled(const Thread& self, Construct which) noexcept {
  const Team* const team = self.at.team;
  if (!g_settings.cancellation || team == nullptr) {
    return false;
  }
  switch (which) {
    case Construct::kWork: return team->work_cancelled.load(std::memory_order_relaxed);
    case Construct::kTaskgroup: return tasks_cancelled(*team, self.task->group);
    case Construct::kParallel: break;
  }
  return team->cancelled.load(std::memory_order_relaxed);
}

bool cancel(Thread& self, Construct which) noexcept {
  Team* const team = self.at.team;
  if (!g_settings.cancellation) {
    return false;
  }
  if (team == nullptr) {
    return true;
  }
  if (which == Construct::kWork) {
    team->work_cancelled.store(true, std::memory_order_relaxed);
  } else if (which == Construct::kTaskgroup) {
    Taskgroup* group = self.task->group;
    while (group != nullptr && group->workshare) {
      group = group->outer;
    }
    if (group != nullptr) {
      group->cancelled.store(true, std::memory_order_relaxed);
    }
  } else {
    // Sequentially consistent: before the look for sleepers, who wait at barriers that not all will reach.
    team->cancelled.store(true, std::memory_order_seq_cst);
    ring(team->bell);
  }
  return true;
}

}  // namespace weft::omp
