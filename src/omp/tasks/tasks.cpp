#include "omp/tasks/tasks.hpp"

#include <algorithm>
#include <cstring>

#include "omp/sync/fatal.hpp"
#include "omp/sync/ticks.hpp"
#include "omp/tasks/cancel.hpp"
#include "omp/tasks/depend.hpp"
#include "omp/tasks/lists.hpp"
#include "omp/tasks/memory.hpp"
#include "omp/tasks/run.hpp"

namespace weft::omp {

namespace {

void make_ready(Task& task) noexcept {  // under the lock
  Team& team = *task.team;
  task.kind = Kind::explicit_ready;
  put(team.ready, &Task::in_team, task, End::back);
  put(task.parent->ready_children, &Task::in_parent, task, End::front);
  if (task.group != nullptr) {
    put(task.group->ready, &Task::in_group, task, End::front);
  }
  // Sequentially consistent: before the look for sleepers.
  team.ready_tasks.fetch_add(1, std::memory_order_seq_cst);
}

void take_out(Team& team, Task& task) noexcept {  // under the lock
  take(team.ready, &Task::in_team, task);
  take(task.parent->ready_children, &Task::in_parent, task);
  if (task.group != nullptr) {
    take(task.group->ready, &Task::in_group, task);
  }
  task.kind = Kind::running;
  team.ready_tasks.fetch_sub(1, std::memory_order_relaxed);
}

// What becomes of those that waited for a task that is done. A thread that looks for work runs the first of them next:
// in a chain of tasks nobody else is asked to come for each.
struct Freed {
  bool keeps = false;
  Task* next = nullptr;
  bool others = false;  // have something to do, or no longer a task to wait for
};

void freed(Task& task, void* context) noexcept {  // under the lock
  auto& found = *static_cast<Freed*>(context);
  if (task.kind == Kind::explicit_waiting && found.keeps && found.next == nullptr && !task.team->ready.urgent &&
      task.priority == 0) {
    task.kind = Kind::running;
    found.next = &task;
    return;
  }
  found.others = true;
  if (task.kind == Kind::explicit_waiting) {
    make_ready(task);
  }
}

void ring_all(Team& team) noexcept {
  ring(team.bell);
  ring(team.dock);
}

// After the body, or the event. self may be none: a thread of the program's own has fulfilled the event. The task that
// this thread is to run next, if it keeps one.
Task* finish(Thread* self, Task& task, bool deferred, bool keeps = false) noexcept {
  Team* const team = task.team;
  Freed found{.keeps = keeps};
  if (task.edges != nullptr) {
    const Guard guard(team->tasks_lock);
    task.kind = Kind::done;
    release_dependents(task, freed, &found);
  }
  Task* const parent = task.parent;
  Taskgroup* const group = task.group;
  if (!deferred) {
    drop(self, &task);
    return nullptr;
  }
  // Sequentially consistent each: before the look for sleepers. Who finds zero sees what the task has written. The
  // group may be gone after its count is zero; the team's is last, as it ends the region and with it the implicit
  // tasks.
  bool last = parent->unfinished_children.fetch_sub(1, std::memory_order_seq_cst) == 1;
  if (group != nullptr) {
    last |= group->unfinished.fetch_sub(1, std::memory_order_seq_cst) == 1;
  }
  drop(self, &task);
  last |= team->unfinished.fetch_sub(1, std::memory_order_seq_cst) == 1;
  // Nobody waits for a count that is not the last one: they would be woken in vain by each task of many.
  if (last || found.others) {
    ring_all(*team);
  }
  return found.next;
}

// Which one this thread runs, for people.
void note_task(const Task& task) noexcept {
  if (boot::ThreadRecord* const record = t_noted.record) {
    const bool is_one = task.kind != Kind::implicit;
    record->task_parent.store(reinterpret_cast<std::uintptr_t>(task.parent), std::memory_order_relaxed);
    record->task_group.store(reinterpret_cast<std::uintptr_t>(task.group), std::memory_order_relaxed);
    record->task.store(is_one ? reinterpret_cast<std::uintptr_t>(task.body) : 0, std::memory_order_relaxed);
  }
}

// The task to run next, if this thread keeps one that waited for this.
Task* execute_one(Thread& self, Team& team, Task& task, bool keeps) noexcept {
  Task* const outer = self.task;
  self.task = &task;
  note_task(task);
  if (task.copied || !tasks_cancelled(team, task.group)) {
    if (task.body != nullptr) {
      task.body(task.argument);
    }
  } else {
    task.detach.store(0, std::memory_order_relaxed);  // its event will never come
  }
  self.task = outer;
  note_task(*outer);
  int expected = 1;
  // Release: who fulfills the event finishes the task.
  if (task.detach.load(std::memory_order_relaxed) != 0 &&
      task.detach.compare_exchange_strong(expected, 2, std::memory_order_acq_rel)) {
    return nullptr;
  }
  return finish(&self, task, true, keeps);
}

void execute(Thread& self, Team& team, Task& task, bool keeps) noexcept {
  for (Task* each = &task; each != nullptr;) {
    each = execute_one(self, team, *each, keeps);
  }
}

void inherit(Thread& self, Task& task, const TaskCall& call) noexcept {
  Task& parent = *self.task;
  task.icv = parent.icv;
  task.parent = &parent;
  task.group = parent.group;
  task.team = self.at.team;
  task.body = call.body;
  task.final = parent.final || (call.flags & kFinalTask) != 0;
  task.priority = std::clamp(call.priority, 0, g_settings.max_task_priority);
  if (parent.kind != Kind::implicit) {
    parent.references.fetch_add(1, std::memory_order_relaxed);  // this thread holds one
  }
}

char* aligned(void* at, std::size_t alignment) noexcept {
  const auto address = reinterpret_cast<std::uintptr_t>(at);
  return reinterpret_cast<char*>((address + alignment - 1) & ~(alignment - 1));
}

void copy_argument(Task& task, char* to, const TaskCall& call) noexcept {
  task.argument = to;
  if (call.copy != nullptr) {
    call.copy(to, call.argument);
    task.copied = true;
  } else if (call.bytes != 0) {
    std::memcpy(to, call.argument, call.bytes);
  }
  if (call.adapt != nullptr) {
    call.adapt(to, call.context);
  }
}

void say_event(Task& task, const TaskCall& call) noexcept {
  if ((call.flags & kDetach) != 0 && call.detach != nullptr) {
    task.detach.store(1, std::memory_order_relaxed);
    *call.detach = &task;
    if (call.argument != nullptr) {
      *static_cast<void**>(call.argument) = &task;
    }
  }
}

Edge* edges_of_reserved(Task& task, std::size_t edges) noexcept {
  if (edges == 0) {
    return nullptr;
  }
  const std::size_t at = (task.used + alignof(Edge) - 1) & ~(alignof(Edge) - 1);
  if (task.recyclable && at + edges * sizeof(Edge) <= kSpareBytes) {
    return reinterpret_cast<Edge*>(reinterpret_cast<char*>(&task + 1) + at);
  }
  return task.own_edges = static_cast<Edge*>(need_memory(edges * sizeof(Edge)));
}

// Some thread of the team is at its own work, and may make tasks. Relaxed: only whether to hurry.
bool others_work(const Team& team) noexcept {
  const std::uint32_t waiting = team.arrived.load(std::memory_order_relaxed) +
                                team.joined.load(std::memory_order_relaxed) +
                                (team.primary_waits.load(std::memory_order_relaxed) ? 1 : 0);
  return waiting < static_cast<std::uint32_t>(team.here);
}

// For about a microsecond, which is what it takes to get a task from another thread, whose lines and lock are to be
// had. Tasks as short as that are done soonest by who makes them: who has run one lets that thread get ahead, which
// then has many that wait, and runs the next ones itself.
void let_get_ahead() noexcept {
  for (const std::uint64_t began = ticks(); ticks() - began < kTicksOfHandover;) {
    relax();
  }
}

void run_at_once(Thread& self, const TaskCall& call) noexcept {
  if ((call.flags & kDepends) != 0 && self.at.team != nullptr) {
    wait_for_dependences(self, call.depend, call.site);
  }
  const bool own = call.copy != nullptr;  // without one, nobody else uses the argument while this runs
  Task& task = call.reserved != nullptr ? *call.reserved : new_task(self, own ? call.bytes + call.alignment : 0);
  inherit(self, task, call);
  task.kind = Kind::running;
  say_event(task, call);
  if (own) {
    self.task = &task;
    copy_argument(task, aligned(&task + 1, call.alignment), call);
  } else {
    task.argument = call.argument;
    if (call.adapt != nullptr) {
      call.adapt(call.argument, call.context);
    }
  }
  self.task = &task;
  task.body(task.argument);
  end_undeferred(self, task, call.site);
}

}  // namespace

void take_and_run(Thread& self, Team& team, Task& task, bool keeps) noexcept {
  take_out(team, task);
  team.tasks_lock.unlock();
  execute(self, team, task, keeps);
}

void make_implicit(Task& task, const Icv& icv, Team* team, Task* parent) noexcept {
  task.icv = icv;
  task.parent = parent;
  task.team = team;
  task.group = team != nullptr ? team->taskgroup : nullptr;
  task.kind = Kind::implicit;
  task.final = false;
  if (task.dependences != nullptr) {
    forget_dependences(task);
  }
}

Task& reserve_task(Thread& self, std::size_t bytes) noexcept {
  Task& task = new_task(self, bytes);
  task.used = bytes;
  return task;
}

void drop_reserved(Thread& self, Task& task) noexcept { forget(&self, task); }

void begin_undeferred(Thread& self, Task& task, unsigned flags) noexcept {
  TaskCall call;
  call.flags = flags;
  inherit(self, task, call);
  task.kind = Kind::running;
  self.task = &task;
}

void end_undeferred(Thread& self, Task& task, const void* site) noexcept {
  self.task = task.parent;
  if (task.detach.load(std::memory_order_relaxed) != 0) {
    Team* const team = self.at.team;
    // Acquire, as part of it: what was done before the event.
    const auto done = [&] { return task.detach.load(std::memory_order_seq_cst) == 3; };
    while (!done()) {
      if (team == nullptr || !run_one(self, *team, team->region.load(std::memory_order_relaxed), false)) {
        if (team == nullptr) {
          wait_briefly(done);
        } else {
          wait(team->bell, {.why = ThreadWaits::kEvent, .site = site},
               [&] { return done() || team->ready_tasks.load(std::memory_order_seq_cst) != 0; });
        }
      }
    }
  }
  finish(&self, task, false);
}

void make_task(Thread& self, const TaskCall& call) noexcept {
  Team* const team = self.at.team;
  Task& parent = *self.task;
  if (team != nullptr && tasks_cancelled(*team, parent.group)) {
    if (call.reserved != nullptr) {
      forget(&self, *call.reserved);
    }
    return;
  }
  if (!is_deferred(self, call.deferred, call.flags)) {
    run_at_once(self, call);
    return;
  }
  const bool depends = (call.flags & kDepends) != 0;
  const std::size_t edges = depends ? count_dependences(call.depend) : 0;
  Task& task =
      call.reserved != nullptr ? *call.reserved : new_task(self, edges * sizeof(Edge) + call.bytes + call.alignment);
  inherit(self, task, call);
  auto* edge = reinterpret_cast<Edge*>(&task + 1);
  if (call.reserved != nullptr) {
    task.argument = call.argument;
    edge = edges_of_reserved(task, edges);
  } else {
    say_event(task, call);
    self.task = &task;  // the copy function runs as part of it
    copy_argument(task, aligned(edge + edges, call.alignment), call);
    self.task = &parent;
  }
  // Before the task can run and be done. Relaxed: the lock orders them.
  parent.unfinished_children.fetch_add(1, std::memory_order_relaxed);
  if (task.group != nullptr) {
    task.group->unfinished.fetch_add(1, std::memory_order_relaxed);
  }
  team->unfinished.fetch_add(1, std::memory_order_relaxed);
  const std::size_t n = depends ? read_dependences(call.depend, edge) : 0;
  {
    const Guard guard(team->tasks_lock);
    task.kind = Kind::explicit_waiting;
    if (depends) {
      depend_on(parent, task, edge, n, true);
      task.edges = edge;
    }
    if (task.waits_for.load(std::memory_order_relaxed) != 0) {
      return;
    }
    make_ready(task);
  }
  ring_all(*team);
}

bool run_one(Thread& self, Team& team, std::uint64_t region, bool keeps) noexcept {
  // All threads that wait see a task at once, and one gets it: the others are not in the way of who makes the next.
  if (!team.tasks_lock.lock_while([&] { return team.ready_tasks.load(std::memory_order_relaxed) != 0; })) {
    return false;
  }
  // A thread that is through with its region may look when the next has begun: that one's tasks are for who has entered
  // it. They were put here under the lock after the region's number changed, so the change is seen with them.
  Task* const task = first_of(team.ready);
  if (task == nullptr || team.region.load(std::memory_order_relaxed) != region) {
    team.tasks_lock.unlock();
    return false;
  }
  const std::uint64_t began = ticks();
  take_and_run(self, team, *task, keeps);
  if (keeps && ticks() - began < kTicksOfHandover && others_work(team)) {
    let_get_ahead();
  }
  return true;
}

void task_without_body(Thread& self, void** depend, const void* site) noexcept {
  TaskCall call;
  call.site = site;
  call.flags = kDepends;
  call.depend = depend;
  if (self.at.team != nullptr && !self.task->final) {
    make_task(self, call);
  }
}

void fulfill(Task& task) noexcept {
  Team* const team = task.team;
  int expected = 1;
  // Release: what was done before; acquire: when the body is done, this thread finishes the task.
  if (task.detach.compare_exchange_strong(expected, 3, std::memory_order_seq_cst)) {
    if (team != nullptr) {
      ring_all(*team);
    }
    return;
  }
  if (expected == 2) {
    finish(t_thread, task, true);
  }
}

}  // namespace weft::omp
