#include "launch/hosts/link.hpp"

#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>

#include "os/clock.hpp"

namespace weft::launch::hosts {

void Link::open(int in, int out, std::uint64_t now) {
  in_ = in;
  out_ = out;
  for (const int fd : {in, out}) {
    (void)::fcntl(fd, F_SETFL, ::fcntl(fd, F_GETFL) | O_NONBLOCK);
    (void)::fcntl(fd, F_SETFD, FD_CLOEXEC);
  }
  listened_at_ = sent_at_ = now;
  (void)poller_.add(in_, EPOLLIN, streams::About::kLinkIn, which_);
  kept_ = greeting();
  push();
}

void Link::send(FrameKind kind, std::uint32_t node, std::string_view payload) {
  if (out_ < 0) return;
  put_frame(kept_, kind, node, payload);
  sent_at_ = os::now_ns();
  push();
}

void Link::push() {
  while (out_ >= 0 && sent_ < kept_.size()) {
    const ssize_t written = ::write(out_, kept_.data() + sent_, kept_.size() - sent_);
    if (written > 0) {
      sent_ += static_cast<std::size_t>(written);
    } else if (errno == EAGAIN) {
      break;
    } else if (errno != EINTR) {
      // The other end has gone; that shows when we read, and what it said before is still to be read.
      sent_ = kept_.size();
    }
  }
  if (sent_ == kept_.size()) {
    kept_.clear();
    sent_ = 0;
  }
  if (has_kept() == waiting_ || out_ < 0) return;
  waiting_ = has_kept();
  if (waiting_) {
    (void)poller_.add(out_, EPOLLOUT, streams::About::kLinkOut, which_);
  } else {
    poller_.remove(out_);
  }
}

void Link::writable() { push(); }

bool Link::read_some() {
  static std::array<char, 256 * 1024> buffer;
  if (in_ < 0) return false;
  const ssize_t got = ::read(in_, buffer.data(), buffer.size());
  if (got > 0) {
    silence_ = 0;
    ++reads_;
    reader_.add(std::string_view(buffer.data(), static_cast<std::size_t>(got)));
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

std::optional<Frame> Link::next() {
  std::optional<Frame> frame = reader_.next();
  while (frame && frame->kind == FrameKind::kBeat) frame = reader_.next();
  return frame;
}

void Link::beat(std::uint64_t now) {
  if (out_ >= 0 && now >= sent_at_ + kBeat && !has_kept()) send(FrameKind::kBeat, kAllNodes);
}

std::uint64_t Link::silence(std::uint64_t now, std::uint64_t interval) {
  silence_ += std::min(now - std::min(now, listened_at_), interval);
  listened_at_ = now;
  return silence_;
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
  kept_.clear();
  sent_ = 0;
}

}  // namespace weft::launch::hosts
