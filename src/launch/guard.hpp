// A small process that outlives the launcher when that is killed with SIGKILL, and then ends what the kernel does not
// end by itself: what a PE has started (a shell's program, a debugger's), found by the PE's process group.
#pragma once

#include <sys/types.h>

#include <atomic>
#include <cstddef>
#include <memory>

namespace weft::launch {

class Guard {
 public:
  Guard() = default;
  Guard(const Guard&) = delete;
  Guard& operator=(const Guard&) = delete;
  ~Guard() { stop(); }

  /// Without a guard the job runs all the same: each PE itself is killed with the launcher in any case.
  void start(int n_pes);
  /// 0: the PE's group is gone, and its number may be given to somebody else's.
  void set(int pe, pid_t group) { groups_[static_cast<std::size_t>(pe)].store(group, std::memory_order_release); }
  /// Where the id of a PE is to be noted as soon as it has one.
  std::atomic<pid_t>* place(int pe) { return &groups_[static_cast<std::size_t>(pe)]; }
  void stop();

 private:
  static int watch(void* guard) noexcept;

  std::unique_ptr<std::atomic<pid_t>[]> groups_;
  std::size_t n_ = 0;
  pid_t pid_ = -1;
  int life_line_[2] = {-1, -1};  // the guard sees the second close when we are gone
};

}  // namespace weft::launch
