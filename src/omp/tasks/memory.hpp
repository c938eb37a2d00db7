// Memory of explicit tasks: a thread keeps some of those that are done for the next ones.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdlib>
#include <new>

#include "omp/state/team.hpp"
#include "omp/sync/fatal.hpp"
#include "omp/tasks/depend.hpp"

namespace weft::omp {

// Of arguments and edges that a task kept for the next one has room for; and how many such a thread keeps.
inline constexpr std::size_t kSpareBytes = 256;
inline constexpr unsigned kMostSpares = 128;

inline Task& new_task(Thread& self, std::size_t more) noexcept {
  if (more <= kSpareBytes) {
    if (Task* spare = self.spare_tasks; spare != nullptr) {
      self.spare_tasks = spare->parent;
      --self.spares;
      // What a task that is done has left as it was is not written again.
      Task& task = *spare;
      task.references.store(1, std::memory_order_relaxed);
      task.edges = nullptr;
      task.own_edges = nullptr;
      task.copied = false;
      task.detach.store(0, std::memory_order_relaxed);
      return task;
    }
    Task& task = *new (need_memory(sizeof(Task) + kSpareBytes)) Task;
    task.recyclable = true;
    return task;
  }
  return *new (need_memory(sizeof(Task) + more)) Task;
}

inline void forget(Thread* self, Task& task) noexcept {
  if (task.dependences != nullptr) {
    forget_dependences(task);
  }
  if (task.own_edges != nullptr) {
    std::free(task.own_edges);
  }
  if (task.recyclable && self != nullptr && self->spares < kMostSpares) {
    ++self->spares;
    task.parent = self->spare_tasks;
    self->spare_tasks = &task;
    return;
  }
  std::free(&task);
}

// Implicit tasks are their team's or their thread's memory; explicit ones go when they and all their children are done.
inline void drop(Thread* self, Task* task) noexcept {
  while (task != nullptr && task->kind != Kind::implicit) {
    // Acquire and release: the last one frees what all have used. Where nobody else has one, nobody can get one.
    if (task->references.load(std::memory_order_acquire) != 1 &&
        task->references.fetch_sub(1, std::memory_order_acq_rel) != 1) {
      return;
    }
    Task* parent = task->parent;
    forget(self, *task);
    task = parent;
  }
}

}  // namespace weft::omp
