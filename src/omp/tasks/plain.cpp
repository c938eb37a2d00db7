// Tasks that are not deferred, and have nothing but a body and flags (tasks.hpp).
#include <atomic>
#include <utility>

#include "omp/tasks/cancel.hpp"
#include "omp/tasks/memory.hpp"
#include "omp/tasks/tasks.hpp"

namespace weft::omp {

namespace {

// With nothing but a body and its flags. Its parent waits below it on this thread's stack, and is counted only where
// children keep this one for longer.
Task& begin_plain(Thread& self, unsigned flags) noexcept {
  Task& parent = *self.task;
  Task& task = new_task(self, 0);
  task.parent = &parent;
  task.group = parent.group;
  task.team = self.at.team;
  task.final = parent.final || (flags & kFinalTask) != 0;
  task.kind = Kind::running;
  return task;
}

void end_plain(Thread& self, Task& task) noexcept {
  // Acquire: what its children have written. Where nobody else has one, nobody can get one.
  if (task.references.load(std::memory_order_acquire) == 1) {
    forget(&self, task);
    return;
  }
  if (Task& parent = *task.parent; parent.kind != Kind::implicit) {
    parent.references.fetch_add(1, std::memory_order_relaxed);  // the one that runs has one, too
  }
  drop(&self, &task);
}

void run_plain_body(Thread& self, Task& task, void (*body)(void*), void* argument) noexcept {
  Task& parent = *self.task;
  task.icv = parent.icv;
  task.body = body;
  self.task = &task;
  body(argument);
  self.task = &parent;
}

bool are_cancelled_here(const Thread& self) noexcept {
  return g_settings.cancellation && self.at.team != nullptr && tasks_cancelled(*self.at.team, self.task->group);
}

}  // namespace

void run_plain(Thread& self, void (*body)(void*), void* argument, unsigned flags) noexcept {
  if (!are_cancelled_here(self)) {
    Task& task = begin_plain(self, flags);
    run_plain_body(self, task, body, argument);
    end_plain(self, task);
  }
}

void PlainTasks::end() noexcept { end_plain(self_, *std::exchange(task_, nullptr)); }

void PlainTasks::run(void (*body)(void*), void* argument) noexcept {
  if (are_cancelled_here(self_)) {
    return;
  }
  if (task_ == nullptr) {
    task_ = &begin_plain(self_, flags_);
  }
  run_plain_body(self_, *task_, body, argument);
  // Acquire: what its children have written.
  if (task_->references.load(std::memory_order_acquire) != 1 || task_->dependences != nullptr ||
      task_->own_edges != nullptr) {
    end();
  }
}

}  // namespace weft::omp
