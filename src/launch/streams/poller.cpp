#include "launch/streams/poller.hpp"

#include <poll.h>

#include <algorithm>

namespace weft::launch::streams {

bool Poller::add(int fd, std::uint32_t events, About about, std::uint32_t which) {
  epoll_event event{};
  event.events = events;
  event.data.u64 = static_cast<std::uint64_t>(about) << 32 | which;
  if (::epoll_ctl(fd_, EPOLL_CTL_ADD, fd, &event) == 0) return true;
  if (errno != ENOMEM && errno != ENOSPC) return false;
  left_.push_back({fd, event});
  return true;
}

void Poller::remove(int fd) {
  if (std::erase_if(left_, [fd](const Left& left) { return left.fd == fd; }) == 0) {
    (void)::epoll_ctl(fd_, EPOLL_CTL_DEL, fd, nullptr);
  }
}

int Poller::wait(epoll_event* events, int room, int timeout_ms) {
  std::erase_if(left_, [this](Left& left) {
    return ::epoll_ctl(fd_, EPOLL_CTL_ADD, left.fd, &left.event) == 0 || (errno != ENOMEM && errno != ENOSPC);
  });
  return left_.empty() ? ::epoll_wait(fd_, events, room, timeout_ms) : wait_for_left(events, room, timeout_ms);
}

int Poller::wait_for_left(epoll_event* events, int room, int timeout_ms) {
  // EPOLLIN and POLLIN are one bit, and so are the others. The epoll descriptor is readable when it has events.
  std::vector<pollfd> asked{{fd_, POLLIN, 0}};
  for (const Left& left : left_) asked.push_back({left.fd, static_cast<short>(left.event.events), 0});
  if (const int came = ::poll(asked.data(), asked.size(), timeout_ms); came <= 0) return came;
  int count = asked[0].revents != 0 ? std::max(0, ::epoll_wait(fd_, events, room, 0)) : 0;
  for (std::size_t k = 0; k < left_.size() && count < room; ++k) {
    if (asked[k + 1].revents == 0) continue;
    events[count] = left_[k].event;
    events[count++].events = static_cast<std::uint32_t>(static_cast<unsigned short>(asked[k + 1].revents));
  }
  return count;
}

}  // namespace weft::launch::streams
