#include "launch/streams/input.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "os/clock.hpp"

namespace weft::launch::streams {
namespace {

constexpr std::uint64_t kBackground = 500'000'000;  // ns between two looks whether we are in the foreground again

bool in_foreground() { return ::tcgetpgrp(STDIN_FILENO) == ::getpgrp(); }

}  // namespace

Input::Input(Poller& poller, command::InputTo to, int n_pes, bool always_pipe)
    : poller_(poller),
      from_terminal_(::isatty(STDIN_FILENO) == 1),
      to_all_(to == command::InputTo::kAll && n_pes > 1),
      to_pe0_(to == command::InputTo::kPe0 || (to == command::InputTo::kAll && n_pes == 1)),
      always_pipe_(always_pipe),
      targets_(to_all_ ? static_cast<std::size_t>(n_pes) : 1) {}

int Input::open(int pe) {
  if (!to_all_ && (!to_pe0_ || pe != 0)) return -1;
  if (!to_all_ && !from_terminal_ && !always_pipe_) return STDIN_FILENO;
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) return -1;
  (void)::fcntl(ends[1], F_SETFL, O_NONBLOCK);
  targets_[static_cast<std::size_t>(pe)].fd = ends[1];
  ++open_;
  look_at_ = os::now_ns();  // when all PEs run: a PE that gets its pipe later would miss what was read before
  return ends[0];
}

void Input::look(std::uint64_t now) {
  look_at_.reset();
  if (open_ == 0 || ended_ || polled_ || is_full()) return;
  // Reading from the background would fail, again and again.
  if (from_terminal_ && !in_foreground()) {
    look_at_ = now + kBackground;
  } else if (always_ready_) {
    read_some();
  } else {
    poll_source(true);
  }
}

void Input::readable() {
  if (!polled_) return;
  if (from_terminal_ && !in_foreground()) {
    poll_source(false);
    look_at_ = os::now_ns() + kBackground;
    return;
  }
  read_some();
}

void Input::pipe_writable(int pe) {
  send(targets_[static_cast<std::size_t>(pe)], pe);
  go_on();
}

void Input::pe_ended(int pe) {
  if (static_cast<std::size_t>(pe) >= targets_.size()) return;
  close_target(targets_[static_cast<std::size_t>(pe)]);
  go_on();
}

void Input::read_some() {
  char buffer[64 * 1024];
  const ssize_t got = ::read(STDIN_FILENO, buffer, sizeof buffer);
  if (got > 0) {
    kept_.append(buffer, static_cast<std::size_t>(got));
  } else if (got == 0 || (errno != EAGAIN && errno != EINTR)) {
    ended_ = true;
  }
  send_all();
}

void Input::send_all() {
  for (std::size_t pe = 0; pe < targets_.size(); ++pe) send(targets_[pe], static_cast<int>(pe));
  go_on();
}

// As much as the PE takes now.
void Input::send(Target& target, int pe) {
  const std::uint64_t end = kept_from_ + kept_.size();
  while (target.fd >= 0 && target.sent < end) {
    const ssize_t written = ::write(target.fd, kept_.data() + (target.sent - kept_from_), end - target.sent);
    if (written > 0) {
      target.sent += static_cast<std::uint64_t>(written);
    } else if (errno == EAGAIN) {
      break;
    } else if (errno != EINTR) {  // the PE does not read any more
      close_target(target);
    }
  }
  if (target.fd < 0) return;
  const bool lags = target.sent < end;
  if (lags && !target.polled) {
    target.polled = poller_.add(target.fd, EPOLLOUT, About::kInput, static_cast<std::uint32_t>(pe));
  } else if (!lags && target.polled) {
    poller_.remove(target.fd);
    target.polled = false;
  }
  if (!lags && ended_) close_target(target);
}

// Forgets what all have got, and reads on when there is room.
void Input::go_on() {
  const std::uint64_t end = kept_from_ + kept_.size();
  std::uint64_t slowest = end;
  for (const Target& target : targets_) {
    if (target.fd >= 0) slowest = std::min(slowest, target.sent);
  }
  // Not for every few bytes: moving the rest to the front costs its length.
  if (slowest == end || slowest - kept_from_ > kMostKept / 4) {
    kept_.erase(0, slowest - kept_from_);
    kept_from_ = slowest;
  }
  if (open_ == 0 || ended_ || is_full()) {
    poll_source(false);
  } else if (!polled_ && !look_at_) {
    look_at_ = os::now_ns();
  }
}

void Input::poll_source(bool on) {
  if (on == polled_) return;
  if (!on) {
    poller_.remove(STDIN_FILENO);
    polled_ = false;
    return;
  }
  polled_ = poller_.add(STDIN_FILENO, EPOLLIN, About::kTerminal);
  always_ready_ = !polled_;
  if (always_ready_) look_at_ = os::now_ns();
}

void Input::close_target(Target& target) {
  if (target.fd < 0) return;
  if (target.polled) poller_.remove(target.fd);
  (void)::close(target.fd);
  target = {-1, false, 0};
  --open_;
}

void Input::stop() {
  poll_source(false);
  look_at_.reset();
  for (Target& target : targets_) close_target(target);
}

}  // namespace weft::launch::streams
