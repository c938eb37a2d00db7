// Small processes that outlive the launcher when that is killed with SIGKILL, and then end what the kernel does not end
// by itself: what PEs have started (a shell's program, a debugger's, a daemon in a session of its own).
//
// There are two, because whoever kills the launcher may kill what looks like it: each does all the work, and the
// launcher starts another for one that ends. Only who kills all three at one moment leaves something behind.
#pragma once

#include <sys/types.h>

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include "boot/job.hpp"

namespace weft::launch::processes {

/// What all processes below a PE wear (os::Spawn::mark); of this launcher, or this agent, and this job only.
std::uint64_t mark_of(const boot::JobHeader& job);

class Guard {
 public:
  Guard() = default;
  Guard(const Guard&) = delete;
  Guard& operator=(const Guard&) = delete;
  ~Guard() { stop(); }

  /// Without a guard the job runs all the same: each PE itself is killed with the launcher in any case.
  void start(int n_pes, std::uint64_t mark);
  /// As it was given: the header that it comes from is the PEs' to write to.
  std::uint64_t mark() const { return mark_; }
  /// 0: the PE's group is gone, and its number may be given to somebody else's.
  void set(int pe, pid_t group) { groups_[static_cast<std::size_t>(pe)].store(group, std::memory_order_release); }
  /// Where the id of a PE is to be noted as soon as it has one.
  std::atomic<pid_t>* place(int pe) { return &groups_[static_cast<std::size_t>(pe)]; }
  /// A file to be removed with its folder.
  void keep_file(const std::string& path);
  /// A child of ours has ended and was reaped. True: it was a guard, and there is another one now.
  bool ended(pid_t pid);
  void stop();

 private:
  static constexpr int kGuards = 2;
  static int watch(void* guard) noexcept;
  void start_one(int which);

  std::unique_ptr<std::atomic<pid_t>[]> groups_;
  std::size_t n_ = 0;
  std::uint64_t mark_ = 0;
  std::array<char, 128> file_{};  // and its folder; both empty: there is none
  std::array<char, 128> folder_{};
  std::array<pid_t, kGuards> pids_ = {-1, -1};
  int restarts_ = 0;
  int life_line_[2] = {-1, -1};  // guards see the second close when we are gone
};

}  // namespace weft::launch::processes
