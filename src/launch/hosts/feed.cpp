#include "launch/hosts/feed.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>

namespace weft::launch::hosts {

bool Feed::open() {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) return false;
  fd_ = ends[1];
  const bool made = ::fcntl(fd_, F_SETFL, O_NONBLOCK) == 0 && ::dup2(ends[0], STDIN_FILENO) == STDIN_FILENO;
  (void)::close(ends[0]);
  return made;
}

std::uint64_t Feed::add(std::string_view bytes) {
  if (fd_ < 0) return bytes.size();
  kept_.append(bytes);
  return push();
}

std::uint64_t Feed::end() {
  ended_ = true;
  return push();
}

std::uint64_t Feed::push() {
  std::size_t gone = 0;
  while (fd_ >= 0 && gone < kept_.size()) {
    const ssize_t written = ::write(fd_, kept_.data() + gone, kept_.size() - gone);
    if (written > 0) {
      gone += static_cast<std::size_t>(written);
    } else if (errno == EAGAIN) {
      break;
    } else if (errno != EINTR) {
      gone = kept_.size();
    }
  }
  kept_.erase(0, gone);
  const bool lags = !kept_.empty();
  if (fd_ >= 0 && lags != polled_) {
    if (lags) {
      polled_ = poller_.add(fd_, EPOLLOUT, streams::About::kFeed);
    } else {
      poller_.remove(fd_);
      polled_ = false;
    }
  }
  if (!lags && ended_) close();
  return gone;
}

void Feed::close() {
  if (fd_ < 0) return;
  if (polled_) poller_.remove(fd_);
  (void)::close(fd_);
  fd_ = -1;
  polled_ = false;
}

}  // namespace weft::launch::hosts
