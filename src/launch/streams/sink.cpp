#include "launch/streams/sink.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>

namespace weft::launch::streams {
namespace {

bool has_room(int fd) {
  pollfd ask{fd, POLLOUT, 0};
  return ::poll(&ask, 1, 0) == 1;
}

}  // namespace

// O_NONBLOCK belongs to the open file, which we share with the shell and others: setting it would break them. A pipe
// or a terminal can be opened once more for ourselves; where that is refused, small writes after a poll do not block.
Sink::Sink(int fd) : fd_(fd) {
  struct stat info {};
  if (::fstat(fd, &info) != 0) return;
  if (S_ISSOCK(info.st_mode)) {
    way_ = Way::kSocket;
  } else if (S_ISFIFO(info.st_mode) || (S_ISCHR(info.st_mode) && ::isatty(fd) == 1)) {
    char path[64];
    (void)std::snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    const int own = ::open(path, O_WRONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
    way_ = own >= 0 ? Way::kOwnDescription : Way::kSmallSteps;
    if (own >= 0) fd_ = own;
  }
}

Sink::~Sink() {
  if (way_ == Way::kOwnDescription) (void)::close(fd_);
}

void Sink::write(std::string_view bytes) {
  if (broken_ != 0 || bytes.empty()) return;
  mid_line_ = bytes.back() != '\n';
  if (!has_kept()) bytes.remove_prefix(send(bytes));
  if (broken_ == 0) kept_.append(bytes);
}

void Sink::write_line(std::string_view line) {
  std::string whole;
  if (mid_line_) whole += '\n';
  whole += line;
  whole += '\n';
  write(whole);
}

void Sink::push() {
  if (!has_kept()) return;
  sent_ += send(std::string_view(kept_).substr(sent_));
  if (broken_ != 0 || sent_ == kept_.size()) {
    kept_.clear();
    sent_ = 0;
  } else if (sent_ > kFull) {
    kept_.erase(0, sent_);
    sent_ = 0;
  }
}

std::size_t Sink::send(std::string_view bytes) {
  constexpr std::size_t kStep = 4096;  // a pipe that polls writable takes one page without blocking
  std::size_t done = 0;
  while (done < bytes.size()) {
    const char* from = bytes.data() + done;
    std::size_t length = bytes.size() - done;
    ssize_t written = 0;
    if (way_ == Way::kSocket) {
      written = ::send(fd_, from, length, MSG_DONTWAIT | MSG_NOSIGNAL);
    } else {
      if (way_ == Way::kSmallSteps) {
        if (!has_room(fd_)) return done;
        length = std::min(length, kStep);
      }
      written = ::write(fd_, from, length);
    }
    if (written >= 0) {
      done += static_cast<std::size_t>(written);
    } else if (errno == EAGAIN || errno == EWOULDBLOCK) {
      // Somebody else may have made a plain descriptor non-blocking: polling it serves as well.
      return done;
    } else if (errno != EINTR) {
      broken_ = errno;
      return bytes.size();
    }
  }
  return done;
}

}  // namespace weft::launch::streams
