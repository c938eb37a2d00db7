// How this process comes to its job: before main when oshrun started it, when a front end starts when another launcher
// did or none.
#pragma once

#include "base/options.hpp"
#include "base/result.hpp"
#include "boot/enter.hpp"
#include "job/front_end.hpp"

namespace weft::job {

/// What became of it. Plain data: written by constructors that may run before any dynamic initialisation.
struct Process {
  boot::Attachment attached;
  base::Error attach_error;  // told at init: a program that never calls it is none of our business
  bool attach_failed = false;
  bool looked = false;      // for a job, before main
  boot::Interface first{};  // of the front ends that have told of themselves
  bool forked = false;
  bool leaving = false;   // in exit(), on behalf of global_exit
  bool managed = false;   // by mpirun or another that is not oshrun, as the environment says
  int statics_fd = -1;    // then: a file of this PE's own
  int first_guessed = 0;  // and: the first PE of this node, as programs may have read it
  int most_pes = 1;       // and: how many there may be on it
  /// How far the symmetric memory's addresses are known.
  enum class Room : std::uint8_t { kNone, kGuessed, kClaimed } room = Room::kNone;
  bool statics = false;  // and the static data is with it, if no thread was in the way
};
extern constinit Process g_process;

/// In the constructor of a front end's library, before main, so before any thread of the program and any use of its
/// data: comes to the job, where another front end has not done so, and takes what the front end needs that is to be
/// taken so early. Static data moves into shared memory if it is to be symmetric, and else nothing of the program is
/// touched. Where dlopen has loaded that library, it moves only in a process of one thread. `argv` is main's.
void attach(char* const* argv, const FrontEnd& front_end) noexcept;

/// When the first front end starts, where there is no job yet: by the launcher that the environment names, or alone.
base::Result<void> attach_now(const base::Options& options) noexcept;

/// The job's files once more, where the program has closed their descriptors since.
base::Result<void> reopen_files() noexcept;

/// The launcher need not repeat why this PE ends.
void tell_launcher_why() noexcept;

/// Nobody but the PEs themselves looks after a job that oshrun has not started: from now on this PE's waits do.
void watch_others() noexcept;
/// And, in a job of several nodes, a thread that does so while the PE waits for nothing. After all PEs have met.
void watch_node() noexcept;

}  // namespace weft::job
