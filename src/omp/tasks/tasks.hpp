// Making, running and waiting for explicit tasks.
#pragma once

#include <cstddef>

#include "omp/state/team.hpp"

namespace weft::omp {

/// Bits of what the compiler says about a task.
inline constexpr unsigned kFinalTask = 1U << 1;
inline constexpr unsigned kDepends = 1U << 3;
inline constexpr unsigned kUp = 1U << 8;
inline constexpr unsigned kGrainsize = 1U << 9;
inline constexpr unsigned kIf = 1U << 10;
inline constexpr unsigned kNoGroup = 1U << 11;
inline constexpr unsigned kReduction = 1U << 12;
inline constexpr unsigned kDetach = 1U << 13;
inline constexpr unsigned kStrict = 1U << 14;

struct TaskCall {
  void (*body)(void*) = nullptr;
  void* argument = nullptr;
  void (*copy)(void*, void*) = nullptr;
  std::size_t bytes = 0, alignment = 1;
  bool deferred = true;  // the if clause
  unsigned flags = 0;
  void** depend = nullptr;
  int priority = 0;
  void** detach = nullptr;
  /// Made by reserve_task(): then the argument is there, and stays.
  Task* reserved = nullptr;
  /// Called with the task's own copy of the argument before it can run.
  void (*adapt)(void* copy, void* context) = nullptr;
  void* context = nullptr;
  const void* site = nullptr;  // of the program's call
};
void make_task(Thread& self, const TaskCall& call) noexcept;
/// A task with so many bytes behind it, aligned to 16, for make_task() or begin_undeferred().
Task& reserve_task(Thread& self, std::size_t bytes) noexcept;
inline void* behind(Task& task) noexcept { return &task + 1; }
void drop_reserved(Thread& self, Task& task) noexcept;
/// What comes between the two is the task's body.
void begin_undeferred(Thread& self, Task& task, unsigned flags) noexcept;
void end_undeferred(Thread& self, Task& task, const void* site) noexcept;
/// A task that is not deferred, and has nothing of all this but its flags.
void run_plain(Thread& self, void (*body)(void*), void* argument, unsigned flags) noexcept;
/// Such tasks, one after the other: one object is all of them, as long as no child or dependence keeps it.
class PlainTasks {
 public:
  PlainTasks(Thread& self, unsigned flags) noexcept : self_(self), flags_(flags) {}
  PlainTasks(const PlainTasks&) = delete;
  PlainTasks& operator=(const PlainTasks&) = delete;
  ~PlainTasks() {
    if (task_ != nullptr) {
      end();
    }
  }
  void run(void (*body)(void*), void* argument) noexcept;

 private:
  void end() noexcept;
  Thread& self_;
  unsigned flags_;
  Task* task_ = nullptr;
};

/// Tasks that wait, for each thread: more are not worth keeping for later, and who makes them runs them itself. It goes
/// on with that until others have run half of them: as long as they take tasks from one end, none come in at the other,
/// and who makes and who runs them do not meet at each one.
inline constexpr std::uint64_t kMostPerThread = 64;
inline bool many_tasks(const Team& team, std::uint64_t more, std::uint64_t per_thread = kMostPerThread) noexcept {
  return static_cast<std::uint64_t>(team.unfinished.load(std::memory_order_relaxed)) + more >
         per_thread * static_cast<std::uint64_t>(team.here);
}
/// `wanted`: by its clauses. A task whose event is to come is never run at once for being one of many, and nor is what
/// may depend on such a one: who makes them may be who lets the event come, later.
inline bool is_deferred(Thread& self, bool wanted, unsigned flags) noexcept {
  if (!wanted || (flags & kFinalTask) != 0 || self.at.team == nullptr || self.task->final) {
    return false;
  }
  if ((flags & kDetach) != 0) {
    self.has_made_events = true;
    return true;
  }
  self.has_many_tasks = many_tasks(*self.at.team, 0, self.has_many_tasks ? kMostPerThread / 2 : kMostPerThread);
  return !self.has_many_tasks || (self.has_made_events && (flags & kDepends) != 0);
}

/// Runs one task that is ready, if there is one. Only while the team is in this region.
/// `keeps`: and then those that waited for it alone, one after the other; for who has nothing to do until all tasks are
/// done.
bool run_one(Thread& self, Team& team, std::uint64_t region, bool keeps = true) noexcept;

/// `site`, here and below: of the program's call.
void wait_for_children(Thread& self, const void* site) noexcept;
void wait_for_dependences(Thread& self, void** depend, const void* site) noexcept;
void task_without_body(Thread& self, void** depend, const void* site) noexcept;

/// Until all tasks of the innermost group are done, which goes on.
void wait_for_group(Thread& self, const void* site) noexcept;
void begin_group(Thread& self, Taskgroup* made, bool workshare) noexcept;
void end_group(Thread& self, const void* site) noexcept;

/// The event of a task with detach: its work is done outside.
void fulfill(Task& task) noexcept;

/// An implicit task, for a thread of a team.
void make_implicit(Task& task, const Icv& icv, Team* team, Task* parent) noexcept;

}  // namespace weft::omp
