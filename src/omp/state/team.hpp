// A team of threads, and what each thread knows of where it is. A team object outlives its regions: its threads wait at
// its dock for the next one, so that what is threadprivate stays.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "omp/state/icv.hpp"
#include "omp/state/task.hpp"
#include "omp/state/work.hpp"
#include "omp/sync/mutex.hpp"
#include "omp/sync/wait.hpp"

namespace weft::omp {

struct Team;
struct Thread;

/// Where a thread is: in which team, as which thread of it, at which construct.
struct Position {
  Team* team = nullptr;
  int number = 0;
  unsigned level = 0;
  unsigned active_level = 0;
  Work* work = nullptr;
  std::uint64_t works = 0;               // work-sharing constructs begun
  std::uint32_t singles = 0;             // single constructs met
  std::uint64_t trip = 0;                // chunks of a static schedule had
  std::uint64_t iteration = 0;           // by homes: the first one that has not been looked at,
  std::uint64_t seen = 0;                // how many before it are this process's,
  std::uint64_t all = 0;                 // and how many of all
  std::uint64_t ticket = 0;              // of the chunk at hand in a loop with ordered; kNoTicket: none
  Affinity affinity;                     // of the loop that it begins
  int place = -1;                        // number of the place this thread is bound to
  unsigned first_place = 0, places = 0;  // its partition
};
inline constexpr std::uint64_t kNoTicket = ~std::uint64_t{0};

/// What clang's programs say before the construct that it is for, and what their loops keep (omp/llvm).
struct Said {
  unsigned threads = 0, bind = 0;        // of the next region
  unsigned teams = 0, thread_limit = 0;  // of the next league
  int number = -1;                       // of the thread, among all of the program
  struct Ordering* ordering = nullptr;   // of the loop with doacross that it is in
  Affinity affinity;                     // of the next loop, whoever has compiled it
};

/// Threads that count together against OMP_THREAD_LIMIT.
struct Group {
  std::atomic<unsigned> busy{1};
};

struct Team {
  static constexpr unsigned kWorks = 16;

  // Written by the primary thread before it lets go, read by all then.
  void (*body)(void*) = nullptr;
  void* argument = nullptr;
  Work* prepared = nullptr;  // work that the region begins inside
  Affinity affinity;         // of its first loop, which its primary thread has said before
  int size = 1;
  int here = 1;       // threads of it in this process: all, or, where it is over several processes by pages (omp/far),
  int first = 0;      // from this one on
  int processes = 1;  // that have some
  bool is_far = false;           // in others too
  std::uint64_t far_number = 0;  // of such a region, the same in all of them
  unsigned level = 0, active_level = 0;
  std::uint64_t first_work = 0;
  std::uint32_t first_single = 0;
  Icv icv;
  Thread* primary = nullptr;
  const void* code = nullptr;      // what the program knows as the body, for people; null: that is it
  Taskgroup* taskgroup = nullptr;  // of a region with reductions by tasks
  Position outer;                  // the primary thread's
  Task* outer_task = nullptr;
  int shown = 0;  // threads that have told where they are
  bool show = false;
  bool bound = false;  // places of its threads are in place_of
  int* place_of = nullptr;
  unsigned* part_first = nullptr;
  unsigned* part_length = nullptr;

  /// Number of the region, and above it the threads that run it. Who waits for a region sees both at once.
  alignas(64) std::atomic<std::uint64_t> region{0};
  alignas(64) std::atomic<std::uint32_t> joined{0};    // threads, but the primary, that are through with it
  std::atomic<bool> primary_waits{false};              // for those, and for tasks
  alignas(64) std::atomic<std::uint32_t> arrived{0};   // at the barrier
  alignas(64) std::atomic<std::uint32_t> barriers{0};  // that all have passed
  alignas(64) std::atomic<std::uint32_t> singles{0};
  std::atomic<bool> cancelled{false};
  std::atomic<bool> work_cancelled{false};
  struct FarBlock {
    void* block;
    FarBlock* next;
  }* far_blocks = nullptr;  // of its constructs, to the next region
  void* copied = nullptr;   // by copyprivate, between two barriers
  void* brought = nullptr;  // here, to the next barrier of several processes, for all of them

  // Tasks.
  alignas(64) Mutex tasks_lock;
  TaskList ready;
  std::atomic<int> ready_tasks{0};
  alignas(64) std::atomic<long> unfinished{0};  // explicit tasks that were deferred
  Bell bell;                                    // barriers, tasks, ordered regions, the end
  Bell dock;                                    // the next region
  /// Memory of tasks, as many in each as threads hand over at once (tasks/memory.hpp).
  static constexpr unsigned kReturned = 4;
  alignas(64) std::atomic<Task*> returned[kReturned]{};

  Task* implicit = nullptr;  // of each thread
  Thread** threads = nullptr;
  Work works[kWorks];
  int capacity = 1;  // threads there are, the primary thread among them
  Team* next_idle = nullptr;
  Group* group = nullptr;
  std::atomic<bool> over{false};  // its threads shall end
  std::atomic<int> living{0};
};

struct Thread {
  Position at;
  Task* task = nullptr;
  Team* idle_teams = nullptr;  // the first one is for the outermost region
  Group* group = nullptr;
  Work* orphan = nullptr;  // for work-sharing outside of any region
  bool known = false;      // its end will be noticed
  bool worker = false;
  std::uint32_t id = 0;  // the kernel's
  Task* spare_tasks = nullptr;
  unsigned spares = 0;
  bool has_many_tasks = false;   // it has made more than are worth keeping (tasks/tasks.hpp)
  bool has_made_events = false;  // tasks with detach
  Said said;
  Group own_group;
};

extern __thread Thread* t_thread __attribute__((tls_model("initial-exec")));

/// This thread, its initial task made when it has none.
Thread& make_thread() noexcept;
inline Thread& self() noexcept {
  Thread* thread = t_thread;
  return __builtin_expect(thread != nullptr, 1) ? *thread : make_thread();
}

}  // namespace weft::omp
