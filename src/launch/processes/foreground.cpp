#include "launch/processes/foreground.hpp"

#include <unistd.h>

#include <csignal>

namespace weft::launch::processes {

void Foreground::lend() {
  has_modes_ = ::tcgetattr(STDIN_FILENO, &modes_) == 0;
  lent_ = true;
  // In the background, taking the terminal back and writing to it would stop us.
  sigset_t output;
  sigemptyset(&output);
  sigaddset(&output, SIGTTOU);
  (void)::sigprocmask(SIG_BLOCK, &output, nullptr);
}

void Foreground::take_back() const {
  if (lent_ && !in_background_) (void)::tcsetpgrp(STDIN_FILENO, ::getpgrp());
}

void Foreground::give(pid_t group) {
  in_background_ = ::tcgetpgrp(STDIN_FILENO) != ::getpgrp();
  if (lent_ && !in_background_) (void)::tcsetpgrp(STDIN_FILENO, group);
}

void Foreground::restore() {
  if (!lent_) return;
  take_back();
  if (has_modes_ && !in_background_) (void)::tcsetattr(STDIN_FILENO, TCSADRAIN, &modes_);
  lent_ = false;
}

}  // namespace weft::launch::processes
