// epoll, with a tag that says what an event is about.
#pragma once

#include <sys/epoll.h>
#include <unistd.h>

#include <cstdint>

namespace weft::launch {

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
  Poller() : fd_(::epoll_create1(EPOLL_CLOEXEC)) {}
  Poller(const Poller&) = delete;
  Poller& operator=(const Poller&) = delete;
  ~Poller() { (void)::close(fd_); }

  bool valid() const { return fd_ >= 0; }
  /// False where the descriptor cannot be waited for: an ordinary file is always ready.
  bool add(int fd, std::uint32_t events, About about, std::uint32_t which = 0) {
    epoll_event event{};
    event.events = events;
    event.data.u64 = static_cast<std::uint64_t>(about) << 32 | which;
    return ::epoll_ctl(fd_, EPOLL_CTL_ADD, fd, &event) == 0;
  }
  void remove(int fd) { (void)::epoll_ctl(fd_, EPOLL_CTL_DEL, fd, nullptr); }
  int wait(epoll_event* events, int room, int timeout_ms) { return ::epoll_wait(fd_, events, room, timeout_ms); }

  static About about(const epoll_event& event) { return static_cast<About>(event.data.u64 >> 32); }
  static std::uint32_t which(const epoll_event& event) { return static_cast<std::uint32_t>(event.data.u64); }

 private:
  int fd_;
};

}  // namespace weft::launch
