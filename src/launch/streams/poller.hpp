// epoll, with a tag that says what an event is about.
#pragma once

#include <sys/epoll.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <vector>

namespace weft::launch::streams {

/// What an event is about, and which one of those.
enum class About : std::uint32_t {
  kSignals,
  kOutput,
  kSink,
  kTerminal,
  kInput,
  kLinkIn,   // of a neighbour in the tree of agents
  kLinkOut,  // room there
  kLinkErr,  // what its ssh says
  kFeed      // input on its way to or from another host
};

class Poller {
 public:
  Poller() : fd_(::epoll_create1(EPOLL_CLOEXEC)), error_(fd_ >= 0 ? 0 : errno) {}
  Poller(const Poller&) = delete;
  Poller& operator=(const Poller&) = delete;
  ~Poller() { (void)::close(fd_); }

  bool valid() const { return fd_ >= 0; }
  /// Why it is not.
  int error() const { return error_; }
  /// False where the descriptor cannot be waited for: an ordinary file is always ready.
  bool add(int fd, std::uint32_t events, About about, std::uint32_t which = 0);
  void remove(int fd);
  int wait(epoll_event* events, int room, int timeout_ms);

  static About about(const epoll_event& event) { return static_cast<About>(event.data.u64 >> 32); }
  static std::uint32_t which(const epoll_event& event) { return static_cast<std::uint32_t>(event.data.u64); }

 private:
  // Who is to be waited for without epoll, which had no memory for it or no watch (/proc/sys/fs/epoll).
  struct Left {
    int fd;
    epoll_event event;
  };
  int wait_for_left(epoll_event* events, int room, int timeout_ms);

  std::vector<Left> left_;
  int fd_;
  int error_;
};

}  // namespace weft::launch::streams
