#include "launch/hosts/link.hpp"

#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <string_view>

namespace weft::launch::hosts {

void Link::open(int in, int out, std::uint64_t now) {
  in_ = in;
  out_ = out;
  for (const int fd : {in, out}) {
    (void)::fcntl(fd, F_SETFL, ::fcntl(fd, F_GETFL) | O_NONBLOCK);
    (void)::fcntl(fd, F_SETFD, FD_CLOEXEC);
  }
  (void)poller_.add(in_, EPOLLIN, streams::About::kLinkIn, which_);
  begin(now);
}

void Link::push() {
  while (out_ >= 0 && has_kept()) {
    const std::string_view left = unsent();
    const ssize_t written = ::write(out_, left.data(), left.size());
    if (written > 0) {
      sent(static_cast<std::size_t>(written));
    } else if (errno == EAGAIN) {
      break;
    } else if (errno != EINTR) {
      // The other end has gone; that shows when we read, and what it said before is still to be read.
      drop_unsent();
    }
  }
  if (has_kept() == waiting_ || out_ < 0) return;
  waiting_ = has_kept();
  if (waiting_) {
    (void)poller_.add(out_, EPOLLOUT, streams::About::kLinkOut, which_);
  } else {
    poller_.remove(out_);
  }
}

bool Link::read_some() {
  static std::array<char, 256 * 1024> buffer;
  if (in_ < 0) return false;
  const ssize_t got = ::read(in_, buffer.data(), buffer.size());
  if (got > 0) {
    heard(std::string_view(buffer.data(), static_cast<std::size_t>(got)));
    return true;
  }
  if (got < 0 && errno == EINTR) return true;
  if (got == 0 || errno != EAGAIN) close();
  return false;
}

void Link::drain() {
  while (read_some()) {
  }
}

void Link::flush() {
  constexpr int kTries = 20;
  for (int k = 0; k < kTries && has_kept() && out_ >= 0; ++k) {
    pollfd room{out_, POLLOUT, 0};
    (void)::poll(&room, 1, 50);
    push();
  }
}

void Link::close() {
  if (in_ >= 0) {
    poller_.remove(in_);
    (void)::close(in_);
  }
  if (out_ >= 0) {
    if (waiting_) poller_.remove(out_);
    (void)::close(out_);
  }
  in_ = out_ = -1;
  waiting_ = false;
  drop_unsent();
}

}  // namespace weft::launch::hosts
