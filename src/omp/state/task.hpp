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

// What a thread writes that runs another one's task is in two lines: they come from that one's cache. Aligned, so that
// they are two, and for what comes behind it.
struct alignas(64) Task {
  Link in_team, in_parent, in_group;
  void (*body)(void*) = nullptr;
  void* argument = nullptr;

  Task* parent = nullptr;
  Taskgroup* group = nullptr;
  Team* team = nullptr;
  std::atomic<long> references{1};     // its own, one for each child: whose memory outlives whose
  Dependences* dependences = nullptr;  // among its children
  struct Edge* edges = nullptr;        // its own places among its siblings'
  struct Edge* own_edges = nullptr;    // those that are memory of their own
  Kind kind = Kind::implicit;
  bool final = false;
  bool copied = false;  // its argument was made by the copy function already
  bool recyclable = false;
  std::atomic<int> detach{0};  // 0: none, 1: event to come, 2: body is done and event to come, 3: event came first

  Icv icv;
  TaskList ready_children;
  std::atomic<long> unfinished_children{0};
  Task** waiting_for_me = nullptr;
  unsigned n_waiting = 0, room_waiting = 0;
  std::atomic<long> waits_for{0};  // predecessors that are not done
  unsigned n_edges = 0;
  int priority = 0;
  std::size_t used = 0;    // of the memory behind it, where the compiler has asked for it
  void* memory = nullptr;  // in which an explicit one lies, as the C library gave it
};

}  // namespace weft::omp
