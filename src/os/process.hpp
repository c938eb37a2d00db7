// Starting programs, and finding what they have started.
#pragma once

#include <sched.h>
#include <sys/resource.h>
#include <sys/types.h>

#include <atomic>
#include <csignal>
#include <cstddef>
#include <cstdint>

#include "base/result.hpp"

namespace weft::os {

/// What a new process is given. It leads a process group of its own and is killed when its parent ends.
struct Spawn {
  const char* path = nullptr;  // no search
  char* const* arguments = nullptr;
  char* const* environment = nullptr;
  const char* directory = nullptr;         // where it begins, if elsewhere than here
  int in = 0, out = 1, err = 2;            // what become its first three descriptors
  sigset_t reset_signals{};                // signals whose handling goes back to the default
  bool keep_blocked = false;               // signals that are blocked here are blocked there too; else none is
  std::atomic<pid_t>* note_pid = nullptr;  // where its id is noted before the program begins; for watchers of us
  const rlimit* descriptors = nullptr;     // its limit of open files, if other than ours
  const cpu_set_t* cpus = nullptr;         // the processors it may run on, if others than ours
  bool same_addresses = false;             // none of its addresses is random, where the system lets us have that
  bool foreground = false;                 // its group gets the terminal that `in` is
  /// Not 0: it wears this number, and so does all that it starts, whatever that does to its parent, session,
  /// environment and open files: the soft limit of file locks, which Linux inherits and has not applied to anything
  /// since 2.4.25.
  std::uint64_t mark = 0;
};

struct Spawned {
  pid_t pid = -1;
  int error = 0;             // errno of what failed
  bool exec_failed = false;  // the process could be made, but the program could not be started in it
};

/// Returns when the program has been started, or could not be.
Spawned spawn(const Spawn& plan) noexcept;

/// Orphans of our children become our children, so that they can be found and ended.
void adopt_orphans() noexcept;

/// Kills every child of this process, what they leave behind included, and reaps them; gives up after `limit_ms`.
/// Only for a process that has adopted its orphans and has no other use for its children. True: none is left.
bool kill_all_children(int limit_ms) noexcept;

/// Whether it has ended and still waits for somebody to take note of it.
bool is_zombie(pid_t pid) noexcept;

/// It is not there, or all its threads have ended, whether its parent has taken note of it or not.
bool has_ended(pid_t pid) noexcept;

/// By a signal or a debugger.
bool is_stopped(pid_t pid) noexcept;

/// Whether it wears this mark (Spawn::mark).
bool wears(pid_t pid, std::uint64_t mark) noexcept;

/// A sealed file in memory of this size, without a name, which our children inherit.
base::Result<int> make_memory_file(const char* label, std::uint64_t bytes) noexcept;

/// How many threads this process has; 0 where the kernel does not tell.
int count_threads() noexcept;

/// Raises the limit of open files to `needed` if it is lower. The limit as it was goes into `before`.
bool raise_descriptor_limit(std::uint64_t needed, rlimit* before) noexcept;

}  // namespace weft::os
