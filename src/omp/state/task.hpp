// Tasks: implicit ones of a team's threads, and explicit ones. What several threads change is under the team's lock
// unless it is atomic.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "omp/state/icv.hpp"

namespace weft::omp {

struct Task;
struct Team;
struct Dependences;

/// A place in a doubly linked list of tasks that are ready to run.
struct Link {
  Task* next = nullptr;
  Task* before = nullptr;
};
struct TaskList {
  std::atomic<Task*> first{nullptr};  // changed under the lock, looked at without
  Task* last = nullptr;
  bool urgent = false;  // some task in it had a priority
};

struct Taskgroup {
  Taskgroup* outer = nullptr;
  TaskList ready;
  std::atomic<long> unfinished{0};
  std::uintptr_t* reductions = nullptr;
  std::atomic<bool> cancelled{false};
  bool workshare = false;
  struct Work* work = nullptr;            // of a scope construct, which ends with its group
  struct Reduction* reduction = nullptr;  // that ends with it, as clang's programs have them (omp/llvm)
};

enum class Kind : std::uint8_t { implicit, explicit_waiting, explicit_ready, running, done };

// Aligned, so that what comes behind it is.
struct alignas(16) Task {
  Icv icv;
  Task* parent = nullptr;
  Taskgroup* group = nullptr;
  void (*body)(void*) = nullptr;
  void* argument = nullptr;
  Link in_team, in_parent, in_group;
  TaskList ready_children;
  std::atomic<long> unfinished_children{0};
  std::atomic<long> references{1};     // its own, one for each child: whose memory outlives whose
  Dependences* dependences = nullptr;  // among its children
  struct Edge* edges = nullptr;        // its own places among its siblings'
  struct Edge* own_edges = nullptr;    // those that are memory of their own
  Task** waiting_for_me = nullptr;
  unsigned n_waiting = 0, room_waiting = 0;
  std::atomic<long> waits_for{0};  // predecessors that are not done
  unsigned n_edges = 0;
  int priority = 0;
  Team* team = nullptr;
  Kind kind = Kind::implicit;
  bool final = false;
  bool in_tied = true;
  bool copied = false;         // its argument was made by the copy function already
  std::atomic<int> detach{0};  // 0: none, 1: event to come, 2: body is done and event to come, 3: event came first
  bool recyclable = false;
};

}  // namespace weft::omp
