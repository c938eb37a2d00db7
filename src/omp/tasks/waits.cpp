// Who waits for tasks runs those that it waits for (tasks.hpp).
#include <atomic>
#include <cstdlib>
#include <new>

#include "omp/sync/fatal.hpp"
#include "omp/tasks/depend.hpp"
#include "omp/tasks/lists.hpp"
#include "omp/tasks/memory.hpp"
#include "omp/tasks/run.hpp"
#include "omp/tasks/tasks.hpp"

namespace weft::omp {

namespace {

// Runs tasks of the list, which holds those that are waited for, until count is zero.
void wait_for_list(Thread& self, Team& team, TaskList& list, std::atomic<long>& count,
                   const Awaited& awaited) noexcept {
  // Sequentially consistent as wait() demands; acquire: what the tasks have written.
  while (count.load(std::memory_order_seq_cst) != 0) {
    if (first_of(list) != nullptr) {
      team.tasks_lock.lock();
      if (Task* const task = first_of(list); task != nullptr) {
        take_and_run(self, team, *task);
        continue;
      }
      team.tasks_lock.unlock();
    }
    wait(team.bell, awaited, [&] {
      return count.load(std::memory_order_seq_cst) == 0 ||
             (team.ready_tasks.load(std::memory_order_seq_cst) != 0 && first_of(list) != nullptr);
    });
  }
}

}  // namespace

void wait_for_children(Thread& self, const void* site) noexcept {
  if (Team* const team = self.at.team; team != nullptr) {
    Task& task = *self.task;
    wait_for_list(self, *team, task.ready_children, task.unfinished_children,
                  {.why = ThreadWaits::kChildren, .site = site, .object = &task, .left = &task.unfinished_children});
  }
}

void wait_for_dependences(Thread& self, void** depend, const void* site) noexcept {
  Team* const team = self.at.team;
  Task& parent = *self.task;
  if (team == nullptr || parent.dependences == nullptr) {
    return;
  }
  const std::size_t n = count_dependences(depend);
  Task& probe = new_task(self, n * sizeof(Edge));
  probe.kind = Kind::running;
  auto* const edges = reinterpret_cast<Edge*>(&probe + 1);
  {
    const Guard guard(team->tasks_lock);
    depend_on(parent, probe, edges, read_dependences(depend, edges), false);
  }
  // Acquire, as part of it: what those have written.
  while (probe.waits_for.load(std::memory_order_seq_cst) != 0) {
    team->tasks_lock.lock();
    if (Task* const task = first_of(parent.ready_children); task != nullptr) {
      take_and_run(self, *team, *task);
      continue;
    }
    team->tasks_lock.unlock();
    wait(
        team->bell, {.why = ThreadWaits::kDependences, .site = site, .object = &parent, .left = &probe.waits_for}, [&] {
          return probe.waits_for.load(std::memory_order_seq_cst) == 0 ||
                 (team->ready_tasks.load(std::memory_order_seq_cst) != 0 && first_of(parent.ready_children) != nullptr);
        });
  }
  {
    const Guard guard(team->tasks_lock);  // the one that freed it has let go of it
  }
  forget(&self, probe);
}

void begin_group(Thread& self, Taskgroup* made, bool workshare) noexcept {
  auto* const group = made != nullptr ? made : new (need_memory(sizeof(Taskgroup), alignof(Taskgroup))) Taskgroup;
  group->outer = self.task->group;
  group->reductions = group->outer != nullptr ? group->outer->reductions : nullptr;
  group->workshare = workshare;
  self.task->group = group;
}

void wait_for_group(Thread& self, const void* site) noexcept {
  Taskgroup* const group = self.task->group;
  if (Team* const team = self.at.team; team != nullptr && group != nullptr) {
    wait_for_list(self, *team, group->ready, group->unfinished,
                  {.why = ThreadWaits::kGroup, .site = site, .object = group, .left = &group->unfinished});
  }
}

void end_group(Thread& self, const void* site) noexcept {
  Taskgroup* const group = self.task->group;
  if (group == nullptr) {
    return;
  }
  wait_for_group(self, site);
  self.task->group = group->outer;
  std::free(group);
}

}  // namespace weft::omp
