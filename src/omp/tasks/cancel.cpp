#include "omp/tasks/cancel.hpp"

#include "omp/image/image.hpp"

namespace weft::omp {
namespace {

constinit std::atomic<Team*> g_listening = nullptr;

// Of any thread, handlers of messages among them.
void wake_team() noexcept { ring(g_listening.load(std::memory_order_relaxed)->bell); }

std::uint64_t construct_of(const Team& team) noexcept {
  // Relaxed: all have passed the barrier before, and none the next one.
  return far::construct_number(team.far_number, team.barriers.load(std::memory_order_relaxed));
}

bool work_is_over(const Team& team) noexcept {
  // Relaxed: who leaves a construct sees by its barrier what others have done in it.
  return team.work_cancelled.load(std::memory_order_relaxed) ||
         (team.is_far && image::far()->over->construct.load(std::memory_order_relaxed) == construct_of(team));
}

// Process 0 lets go those that have come to its barriers. The answer comes before the region's end, so that it is not
// taken for the next region's.
void tell_others(const Team& team, std::uint64_t construct) noexcept {
  far::Message message;
  message.what = far::What::kIsOver;
  message.a = team.far_number;
  message.b = construct;
  image::far()->say_to_others(team.processes, message);
  if (construct == 0) {
    far::Message question;
    question.what = far::What::kOver;
    (void)ask(question, {});
  }
}

}  // namespace

bool region_is_over(const Team& team) noexcept {
  return team.cancelled.load(std::memory_order_seq_cst) ||
         (team.is_far && image::far()->over->region.load(std::memory_order_seq_cst) == team.far_number);
}

void listen(Team& team) noexcept {
  if (!g_settings.cancellation) {
    return;
  }
  // Sequentially consistent, the second: before this process's threads look whether the region is over.
  g_listening.store(&team, std::memory_order_relaxed);
  image::far()->over->wake.store(wake_team, std::memory_order_seq_cst);
}

bool tasks_cancelled(const Team& team, const Taskgroup* group) noexcept {
  if (!g_settings.cancellation) {
    return false;
  }
  if (region_is_over(team)) {
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
    case Construct::kWork: return work_is_over(*team);
    case Construct::kTaskgroup: return tasks_cancelled(*team, self.task->group);
    case Construct::kParallel: break;
  }
  return region_is_over(*team);
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
    // Relaxed: only who tells the others.
    if (!team->work_cancelled.exchange(true, std::memory_order_relaxed) && team->is_far) {
      tell_others(*team, construct_of(*team));
    }
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
    const bool before = region_is_over(*team) || team->cancelled.exchange(true, std::memory_order_seq_cst);
    ring(team->bell);
    if (!before && team->is_far) {
      tell_others(*team, 0);
    }
  }
  return true;
}

}  // namespace weft::omp
