// The signals of the launcher, read as events.
#pragma once

#include <csignal>

#include "base/result.hpp"

namespace weft::launch::processes {

class Signals {
 public:
  Signals() = default;
  Signals(const Signals&) = delete;
  Signals& operator=(const Signals&) = delete;
  ~Signals();

  base::Result<void> open();
  int descriptor() const { return fd_; }
  /// The next signal that has come, 0 when there is none.
  int next();
  /// Signals we handle in a way of our own and a PE must not inherit. What whoever started us had ignored stays so:
  /// that is how nohup works.
  const sigset_t& reset_in_children() const { return reset_; }

 private:
  int fd_ = -1;
  sigset_t reset_{};
};

/// Stops this process as SIGTSTP would have done, and returns when it is continued.
void stop_self();

}  // namespace weft::launch::processes
