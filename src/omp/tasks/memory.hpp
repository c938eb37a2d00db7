// Memory of explicit tasks: a thread keeps some of those that are done for the next ones, and gives what it has too
// many of to its team. So who makes tasks that others run gets them back, and not from the C library, whose lock both
// want.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <new>
#include <utility>

#include "omp/state/team.hpp"
#include "omp/sync/fatal.hpp"
#include "omp/tasks/depend.hpp"

namespace weft::omp {

// Of arguments and edges that a task kept for the next one has room for; and how many such a thread keeps.
inline constexpr std::size_t kSpareBytes = 256;
inline constexpr unsigned kMostSpares = 128;
inline constexpr unsigned kHandedOver = 64;

// Whether it gets some.
inline bool take_returned(Thread& self) noexcept {
  if (self.at.team == nullptr) {
    return false;
  }
  for (std::atomic<Task*>& place : self.at.team->returned) {
    if (place.load(std::memory_order_relaxed) != nullptr) {
      // Acquire: what the one has written that is through with them.
      if (Task* const some = place.exchange(nullptr, std::memory_order_acquire); some != nullptr) {
        self.spare_tasks = some;
        self.spares = kHandedOver;
        return true;
      }
    }
  }
  return false;
}

// Of so many that it has; false: the team has enough.
inline bool give_back(Thread& self) noexcept {
  if (self.at.team == nullptr) {
    return false;
  }
  for (std::atomic<Task*>& place : self.at.team->returned) {
    if (place.load(std::memory_order_relaxed) != nullptr) {
      continue;
    }
    Task* last = self.spare_tasks;
    for (unsigned k = 1; k < kHandedOver; ++k) {
      last = last->parent;
    }
    Task* const kept = std::exchange(last->parent, nullptr);
    Task* expected = nullptr;
    // Release: this thread is through with them.
    if (place.compare_exchange_strong(expected, self.spare_tasks, std::memory_order_release,
                                      std::memory_order_relaxed)) {
      self.spare_tasks = kept;
      self.spares -= kHandedOver;
      return true;
    }
    last->parent = kept;
  }
  return false;
}

inline void free_tasks(Task* task) noexcept {
  while (task != nullptr) {
    std::free(std::exchange(task, task->parent)->memory);
  }
}

// Aligned by hand: the C library keeps at hand what comes back of plain memory, and looks for aligned memory each time.
inline Task& allocate_task(std::size_t more) noexcept {
  constexpr std::size_t kShift = alignof(Task) - alignof(std::max_align_t);
  void* const memory = need_memory(sizeof(Task) + more + kShift, alignof(std::max_align_t));
  const auto at = (reinterpret_cast<std::uintptr_t>(memory) + kShift) & ~(std::uintptr_t{alignof(Task)} - 1);
  Task& task = *new (reinterpret_cast<void*>(at)) Task;
  task.memory = memory;
  return task;
}

inline Task& new_task(Thread& self, std::size_t more) noexcept {
  if (more <= kSpareBytes) {
    if (Task* spare = self.spare_tasks; spare != nullptr || take_returned(self)) {
      spare = self.spare_tasks;
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
    Task& task = allocate_task(kSpareBytes);
    task.recyclable = true;
    return task;
  }
  return allocate_task(more);
}

inline void forget(Thread* self, Task& task) noexcept {
  if (task.dependences != nullptr) {
    forget_dependences(task);
  }
  if (task.own_edges != nullptr) {
    std::free(task.own_edges);
  }
  if (task.recyclable && self != nullptr && (self->spares < kMostSpares || give_back(*self))) {
    ++self->spares;
    task.parent = self->spare_tasks;
    self->spare_tasks = &task;
    return;
  }
  std::free(task.memory);
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
