#include "launch/input.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>

#include "os/clock.hpp"

namespace weft::launch {
namespace {

constexpr std::uint64_t kBackground = 500'000'000;  // ns between two looks whether we are in the foreground again

bool in_foreground() { return ::tcgetpgrp(STDIN_FILENO) == ::getpgrp(); }

}  // namespace

int Input::open() {
  if (::isatty(STDIN_FILENO) != 1) return STDIN_FILENO;
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) return -1;
  to_pe_ = ends[1];
  (void)::fcntl(to_pe_, F_SETFL, O_NONBLOCK);
  look(os::now_ns());
  return ends[0];
}

void Input::look(std::uint64_t now) {
  if (to_pe_ < 0 || ended_ || reading_ || !kept_.empty()) return;
  // Reading from the background would fail, again and again.
  if (in_foreground()) {
    look_at_.reset();
    read_terminal(true);
  } else {
    look_at_ = now + kBackground;
  }
}

void Input::terminal_readable() {
  if (to_pe_ < 0 || !reading_) return;
  if (!in_foreground()) {
    read_terminal(false);
    look_at_ = os::now_ns() + kBackground;
    return;
  }
  char buffer[4096];
  const ssize_t got = ::read(STDIN_FILENO, buffer, sizeof buffer);
  if (got > 0) {
    kept_.append(buffer, static_cast<std::size_t>(got));
  } else if (got == 0 || (errno != EAGAIN && errno != EINTR)) {
    ended_ = true;
    read_terminal(false);
  }
  push();
}

void Input::pipe_writable() { push(); }

void Input::push() {
  while (!kept_.empty()) {
    const ssize_t written = ::write(to_pe_, kept_.data(), kept_.size());
    if (written > 0) {
      kept_.erase(0, static_cast<std::size_t>(written));
    } else if (errno == EAGAIN) {
      break;
    } else if (errno != EINTR) {  // PE 0 does not read any more
      stop();
      return;
    }
  }
  const bool wait = !kept_.empty();
  if (wait != writing_) {
    if (wait) {
      writing_ = poller_.add(to_pe_, EPOLLOUT, About::kInput);
    } else {
      poller_.remove(to_pe_);
      writing_ = false;
    }
  }
  if (wait) {
    read_terminal(false);
  } else if (ended_) {
    stop();
  } else {
    look(os::now_ns());
  }
}

void Input::read_terminal(bool on) {
  if (on == reading_) return;
  if (on) {
    reading_ = poller_.add(STDIN_FILENO, EPOLLIN, About::kTerminal);
  } else {
    poller_.remove(STDIN_FILENO);
    reading_ = false;
  }
}

void Input::stop() {
  if (to_pe_ < 0) return;
  read_terminal(false);
  if (writing_) poller_.remove(to_pe_);
  writing_ = false;
  look_at_.reset();
  kept_.clear();
  (void)::close(to_pe_);
  to_pe_ = -1;
}

}  // namespace weft::launch
