#include "transport/tcp/socket.hpp"

#include <netinet/tcp.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>

namespace weft::transport::tcp {
namespace {

using base::Error;

int make_socket(sa_family_t family) noexcept {
  int fd = ::socket(family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  if (fd < 0 && errno == EMFILE && raise_limit_of_files()) {
    fd = ::socket(family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  }
  return fd;
}

void close_keeping_errno(int fd) noexcept {
  const int error = errno;
  if (fd >= 0) {
    (void)::close(fd);
  }
  errno = error;
}

int listen_at(const Address& address, in_port_t port) noexcept {
  const int fd = make_socket(address.family);
  const SocketAddress at(address, port);
  // An IPv6 socket at the address of all takes what comes by IPv4 too, whatever the machine's default is.
  constexpr int kNo = 0;
  if (fd >= 0 && address.family == AF_INET6) {
    (void)::setsockopt(fd, IPPROTO_IPV6, IPV6_V6ONLY, &kNo, sizeof kNo);
  }
  if (fd >= 0 && ::bind(fd, at.get(), at.bytes) == 0 && ::listen(fd, SOMAXCONN) == 0) {
    return fd;
  }
  close_keeping_errno(fd);
  return -1;
}

// Kernels can be without IPv6.
int listen_everywhere(in_port_t port) noexcept {
  Address any;
  any.family = AF_INET6;
  int fd = listen_at(any, port);
  if (fd < 0 && errno != EADDRINUSE) {
    any.family = AF_INET;
    fd = listen_at(any, port);
  }
  return fd;
}

}  // namespace

bool raise_limit_of_files() noexcept {
  rlimit limit{};
  if (::getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur >= limit.rlim_max) {
    return false;
  }
  limit.rlim_cur = limit.rlim_max;
  return ::setrlimit(RLIMIT_NOFILE, &limit) == 0;
}

base::Result<int> listen_on(const char* ports, const char* interface) noexcept {
  unsigned first = 0;
  unsigned last = 0;
  int end = -1;
  if (ports != nullptr && (std::sscanf(ports, "%u-%u%n", &first, &last, &end) != 2 || ports[end] != '\0' ||
                           first == 0 || first > last || last > UINT16_MAX)) {
    return Error::make("WEFT_NET_PORTS=%s: give two numbers from 1 to 65535, such as 20000-20999", ports);
  }
  Addresses own;
  if (interface != nullptr) {
    const auto found = own_addresses(interface);
    if (!found) {
      return found.error();
    }
    own = *found;
  }
  int error = EADDRINUSE;
  for (unsigned number = first; number <= last && error == EADDRINUSE; ++number) {
    const in_port_t port = htons(static_cast<std::uint16_t>(number));
    const int fd = interface != nullptr ? listen_at(own.list[0], port) : listen_everywhere(port);
    if (fd >= 0) {
      return fd;
    }
    error = errno;
  }
  return Error::make("cannot listen for other PEs%s%s: %s",
                     ports == nullptr ? "" : " on a port of WEFT_NET_PORTS=", ports == nullptr ? "" : ports,
                     std::strerror(error));
}

base::Result<void> tell_addresses(int listener, const char* interface, boot::PeerCard* card) noexcept {
  SocketAddress at;
  at.bytes = sizeof at.storage;
  if (::getsockname(listener, at.get(), &at.bytes) != 0) {
    return Error::make("cannot find this machine's addresses: %s", std::strerror(errno));
  }
  auto own = own_addresses(interface);
  if (!own) {
    return own.error();
  }
  Addresses told = *own;
  const bool is_v6 = at.storage.ss_family == AF_INET6;
  told.port = is_v6 ? reinterpret_cast<const sockaddr_in6*>(at.get())->sin6_port
                    : reinterpret_cast<const sockaddr_in*>(at.get())->sin_port;
  if (interface != nullptr) {
    told.n = 1;  // the one it listens at
  } else if (!is_v6) {
    told.n = static_cast<int>(
        std::count_if(told.list, told.list + told.n, [](const Address& address) { return address.family == AF_INET; }));
  }
  if (told.n == 0) {
    return Error::make("this machine has IPv6 addresses only, but its kernel lets nobody listen at them");
  }
  write_card(told, card);
  return {};
}

int begin_connect(const Address& to, in_port_t port, const char* interface, int* error) noexcept {
  const int fd = make_socket(to.family);
  *error = fd < 0 ? errno : 0;
  if (fd >= 0 && interface != nullptr) {
    const auto own = own_addresses(interface);
    const Address* const end = own ? own->list + own->n : nullptr;
    const Address* from =
        own ? std::find_if(own->list, end, [&](const Address& one) { return one.family == to.family; }) : end;
    const SocketAddress at(from != end ? *from : to, 0);
    *error = from == end || ::bind(fd, at.get(), at.bytes) != 0 ? EADDRNOTAVAIL : 0;
  }
  const SocketAddress there(to, port);
  if (*error == 0 && ::connect(fd, there.get(), there.bytes) != 0 && errno != EINPROGRESS) {
    *error = errno;
  }
  if (*error != 0 && fd >= 0) {
    (void)::close(fd);
  }
  return *error == 0 ? fd : -1;
}

int connect_error(int fd) noexcept {
  int error = 0;
  socklen_t bytes = sizeof error;
  return ::getsockopt(fd, SOL_SOCKET, SO_ERROR, &error, &bytes) == 0 ? error : errno;
}

void set_up(int fd, int timeout) noexcept {
  const auto set = [fd](int level, int name, int value) { (void)::setsockopt(fd, level, name, &value, sizeof value); };
  set(IPPROTO_TCP, TCP_NODELAY, 1);
  if (timeout <= 0) {
    return;
  }
  // Asked after half of the time, and then as often as leaves the rest for answers that are lost.
  constexpr int kQuestions = 4;
  constexpr int kMs = 1000;
  set(SOL_SOCKET, SO_KEEPALIVE, 1);
  set(IPPROTO_TCP, TCP_KEEPIDLE, std::max(timeout / 2, 1));
  set(IPPROTO_TCP, TCP_KEEPINTVL, std::max(timeout / 2 / kQuestions, 1));
  set(IPPROTO_TCP, TCP_KEEPCNT, kQuestions);
  // What was sent and is not acknowledged, for which nobody asks.
  set(IPPROTO_TCP, TCP_USER_TIMEOUT, timeout * kMs);
}

}  // namespace weft::transport::tcp
