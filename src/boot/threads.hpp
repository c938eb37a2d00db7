// What the OpenMP threads of a PE tell people: for each thread who it is, and what it waits for once that has lasted. A
// table of each PE, behind the records of all (boot/job.hpp), of which only the pages of threads that exist are
// touched.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace weft::boot {

/// What a thread waits for.
enum class ThreadWaits : std::uint32_t {
  kNot = 0,
  // All threads of its team.
  kBarrier = 1,
  kWorkEnd = 2,    // the barrier at the end of a loop, of sections
  kRegionEnd = 3,  // of the primary thread
  // One other thread.
  kUnnamed = 4,  // the critical section without a name
  kCritical = 5,
  kAtomic = 6,
  kLock = 7,
  kNestedLock = 8,
  kOrdered = 9,
  kIteration = 10,  // of a loop with doacross
  // Tasks.
  kChildren = 11,
  kGroup = 12,
  kDependences = 13,
  kEvent = 14,
  // Other processes.
  kIterations = 15,  // that process 0 gives out
  kSingle = 16,      // whether it is this process's
  kProcesses = 17,   // the others are not through with the region
  kRegion = 18,      // nothing to do before the next region
  kStatic = 19,      // one other thread: that is finding the first value of a function's static variable
  kLast = kStatic
};

/// One thread. Written by itself, atomic and relaxed but for `since`: as of a boot::WaitRecord, people read it at any
/// time.
struct alignas(64) ThreadRecord {
  /// Locks of which it is known who holds them, where their words do not say so (omp/far).
  static constexpr int kHeld = 8;
  std::atomic<std::uint32_t> id;  // the kernel's, taken by compare-and-swap from 0
  // The wait.
  std::atomic<std::uint32_t> why;     // ThreadWaits
  std::atomic<std::uint64_t> since;   // CLOCK_MONOTONIC ns; 0: it does not wait, or not for long
  std::atomic<std::uint64_t> site;    // what the construct's call returns to in the program
  std::atomic<std::uint64_t> object;  // of locks and critical sections the address; of tasks the one whose they are, or
                                      // their group
  std::atomic<std::uint64_t> wanted;  // kOrdered: its turn; tasks: how many are not done
  std::atomic<std::uint32_t> holder;  // the thread that is to end it; 0: not known
  std::atomic<std::uint32_t> looks;   // as WaitRecord::looks
  // And where the thread is meanwhile: which team, 0 for none, as which thread of how many, and which ones of them are
  // this process's.
  std::atomic<std::uint64_t> team;
  std::atomic<std::uint32_t> number;
  std::atomic<std::uint32_t> size;
  std::atomic<std::uint32_t> first;
  std::atomic<std::uint32_t> here;
  std::atomic<std::uint32_t> primary;  // the team's, by its id
  std::atomic<std::uint32_t> home_primary;
  // The team that has made it, and its number there in this process; 0: a thread of the program's own.
  std::atomic<std::uint64_t> home;
  std::atomic<std::uint32_t> home_number;
  std::atomic<std::uint32_t> home_level;
  // A task that it runs, by its function, while it is in a wait of its team's; and whose task that is.
  std::atomic<std::uint64_t> task;
  std::atomic<std::uint64_t> task_parent;
  std::atomic<std::uint64_t> task_group;
  std::atomic<std::uint64_t> arrived;  // the team at whose barrier or end it is, and runs tasks
  std::atomic<std::uint64_t> held[kHeld];
};
static_assert(sizeof(ThreadRecord) == 192 && std::is_standard_layout_v<ThreadRecord>);

/// How the processes of a job are one program.
enum class ThreadsBy : std::uint32_t { kProcess = 0, kMemory = 1, kPages = 2, kLast = kPages };

struct alignas(128) PeThreads {
  /// Threads that are told of; others go unseen.
  static constexpr int kMost = 256;
  std::atomic<std::int32_t> pid;    // the process that they are of, taken by compare-and-swap
  std::atomic<std::uint32_t> used;  // records, from the first one on
  std::atomic<std::uint32_t> by;    // ThreadsBy
  // Of a region over processes that have pages: which of its threads are here, whatever they do.
  std::atomic<std::uint32_t> first;
  std::atomic<std::uint32_t> here;  // 0: none
  std::atomic<std::uint32_t> size;
  std::atomic<std::uint64_t> team;
  ThreadRecord threads[kMost];
};
static_assert(sizeof(PeThreads) == 128 + PeThreads::kMost * sizeof(ThreadRecord) &&
              std::is_standard_layout_v<PeThreads>);
static_assert(offsetof(PeThreads, team) == 24 && offsetof(PeThreads, threads) == 64);

}  // namespace weft::boot
