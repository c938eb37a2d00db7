#include "transport/tcp/address.hpp"

#include <arpa/inet.h>
#include <ifaddrs.h>
#include <net/if.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <memory>

namespace weft::transport::tcp {
namespace {

using base::Error;

// How it lies in PeerCard::address.
struct Listed {
  static constexpr std::size_t kMost = 12;
  std::uint16_t port;  // all in network byte order
  std::uint16_t n;
  in_addr_t hosts[kMost];
};
static_assert(sizeof(Listed) <= boot::PeerCard::kMostAddress);

// An address that does not answer, as of a network that only its own machine has, is not tried for longer.
constexpr int kConnectMs = 4000;

struct FreeInterfaces {
  void operator()(ifaddrs* list) const noexcept { ::freeifaddrs(list); }
};
using Interfaces = std::unique_ptr<ifaddrs, FreeInterfaces>;

Interfaces interfaces() noexcept {
  ifaddrs* list = nullptr;
  return Interfaces(::getifaddrs(&list) == 0 ? list : nullptr);
}

const sockaddr_in* address_of(const ifaddrs& one) noexcept {
  const bool usable = one.ifa_addr != nullptr && one.ifa_addr->sa_family == AF_INET && (one.ifa_flags & IFF_UP) != 0;
  return usable ? reinterpret_cast<const sockaddr_in*>(one.ifa_addr) : nullptr;
}

// The larger the sooner it is tried. Bridges for containers have one address on many machines: what is ours as well is
// the other PE's only if nothing else is.
enum Nearness { kOurs, kElsewhere, kSameNetwork };

Nearness nearness(in_addr_t host, const ifaddrs* list) noexcept {
  Nearness best = kElsewhere;
  for (const ifaddrs* one = list; one != nullptr; one = one->ifa_next) {
    const sockaddr_in* own = address_of(*one);
    if (own == nullptr || one->ifa_netmask == nullptr) {
      continue;
    }
    const in_addr_t mask = reinterpret_cast<const sockaddr_in*>(one->ifa_netmask)->sin_addr.s_addr;
    if (own->sin_addr.s_addr == host) {
      return kOurs;
    }
    if ((own->sin_addr.s_addr & mask) == (host & mask)) {
      best = kSameNetwork;
    }
  }
  return best;
}

int make_socket() noexcept {
  int fd = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  if (fd < 0 && errno == EMFILE && raise_limit_of_files()) {
    fd = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  }
  return fd;
}

// 0, or what was wrong.
int connect_within(int fd, const sockaddr_in& to, int timeout_ms) noexcept {
  if (::connect(fd, reinterpret_cast<const sockaddr*>(&to), sizeof to) == 0) {
    return 0;
  }
  if (errno != EINPROGRESS) {
    return errno;
  }
  pollfd waits{fd, POLLOUT, 0};
  int ready = 0;
  do {
    ready = ::poll(&waits, 1, timeout_ms);  // anew after a signal of the program's
  } while (ready < 0 && errno == EINTR);
  if (ready <= 0) {
    return ready == 0 ? ETIMEDOUT : errno;
  }
  int error = 0;
  socklen_t bytes = sizeof error;
  return ::getsockopt(fd, SOL_SOCKET, SO_ERROR, &error, &bytes) == 0 ? error : errno;
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

base::Result<int> listen_on(const char* ports) noexcept {
  unsigned first = 0;
  unsigned last = 0;
  int end = -1;
  if (ports != nullptr && (std::sscanf(ports, "%u-%u%n", &first, &last, &end) != 2 || ports[end] != '\0' ||
                           first == 0 || first > last || last > UINT16_MAX)) {
    return Error::make("WEFT_NET_PORTS=%s: give two numbers from 1 to 65535, such as 20000-20999", ports);
  }
  int error = EADDRINUSE;
  for (unsigned port = first; port <= last && error == EADDRINUSE; ++port) {
    const int fd = make_socket();
    sockaddr_in any{};
    any.sin_family = AF_INET;
    any.sin_port = htons(static_cast<std::uint16_t>(port));
    if (fd >= 0 && ::bind(fd, reinterpret_cast<const sockaddr*>(&any), sizeof any) == 0 &&
        ::listen(fd, SOMAXCONN) == 0) {
      return fd;
    }
    error = errno;
    if (fd >= 0) {
      (void)::close(fd);
    }
  }
  return Error::make("cannot listen for other PEs%s%s: %s",
                     ports == nullptr ? "" : " on a port of WEFT_NET_PORTS=", ports == nullptr ? "" : ports,
                     std::strerror(error));
}

base::Result<void> tell_addresses(int listener, const char* interface, boot::PeerCard* card) noexcept {
  sockaddr_in own{};
  socklen_t bytes = sizeof own;
  const Interfaces list = interfaces();
  if (::getsockname(listener, reinterpret_cast<sockaddr*>(&own), &bytes) != 0 || list == nullptr) {
    return Error::make("cannot find this machine's addresses: %s", std::strerror(errno));
  }
  Listed told{own.sin_port, 0, {}};
  for (const bool loopback : {false, true}) {
    for (const ifaddrs* one = list.get(); one != nullptr && told.n < Listed::kMost; one = one->ifa_next) {
      const sockaddr_in* address = address_of(*one);
      const bool wanted = interface == nullptr ? ((one->ifa_flags & IFF_LOOPBACK) != 0) == loopback
                                               : std::strcmp(interface, one->ifa_name) == 0;
      if (address != nullptr && wanted) {
        told.hosts[told.n++] = address->sin_addr.s_addr;
      }
    }
    if (told.n > 0) {
      break;
    }
  }
  if (told.n == 0) {
    return interface == nullptr
               ? Error::make("this machine has no IPv4 address by which other PEs could reach it")
               : Error::make(
                     "WEFT_NET_INTERFACE=%s: no network interface of that name is up and has an IPv4 address; "
                     "`ip addr` lists them",
                     interface);
  }
  std::memcpy(card->address, &told, sizeof told);
  card->address_bytes = sizeof told;
  return {};
}

base::Result<int> connect_to(const boot::PeerCard& card) noexcept {
  Listed told;
  std::memcpy(&told, card.address, sizeof told);
  const Interfaces list = interfaces();
  std::sort(told.hosts, told.hosts + std::min<std::size_t>(told.n, Listed::kMost),
            [&](in_addr_t a, in_addr_t b) { return nearness(a, list.get()) > nearness(b, list.get()); });
  int error = EHOSTUNREACH;
  for (std::size_t k = 0; k < std::min<std::size_t>(told.n, Listed::kMost); ++k) {
    const int fd = make_socket();
    if (fd < 0) {
      return Error::make("%s%s", std::strerror(errno), errno == EMFILE ? " (ulimit -n)" : "");
    }
    sockaddr_in to{};
    to.sin_family = AF_INET;
    to.sin_port = told.port;
    to.sin_addr.s_addr = told.hosts[k];
    error = connect_within(fd, to, kConnectMs);
    if (error == 0) {
      set_up(fd);
      return fd;
    }
    (void)::close(fd);
  }
  char host[INET_ADDRSTRLEN] = "";
  (void)::inet_ntop(AF_INET, &told.hosts[0], host, sizeof host);
  return Error::make("no connection to %s port %u: %s", host, static_cast<unsigned>(ntohs(told.port)),
                     std::strerror(error));
}

void set_up(int fd) noexcept {
  constexpr int kYes = 1;
  (void)::setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &kYes, sizeof kYes);
}

}  // namespace weft::transport::tcp
