#include "transport/tcp/address.hpp"

#include <arpa/inet.h>
#include <ifaddrs.h>
#include <net/if.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <memory>

namespace weft::transport::tcp {
namespace {

using base::Error;

// How they lie in PeerCard::address: the port, and for each one its size and its bytes.
constexpr std::size_t kRoom = boot::PeerCard::kMostAddress;
constexpr std::size_t kOneV6 = 1 + sizeof(in6_addr);

struct FreeInterfaces {
  void operator()(ifaddrs* list) const noexcept { ::freeifaddrs(list); }
};
using Interfaces = std::unique_ptr<ifaddrs, FreeInterfaces>;

Interfaces interfaces() noexcept {
  ifaddrs* list = nullptr;
  return Interfaces(::getifaddrs(&list) == 0 ? list : nullptr);
}

// Of another family, or null: none.
Address address_in(const sockaddr* from) noexcept {
  Address address;
  if (from != nullptr && from->sa_family == AF_INET) {
    address.family = AF_INET;
    std::memcpy(address.bytes, &reinterpret_cast<const sockaddr_in*>(from)->sin_addr, sizeof(in_addr));
  } else if (from != nullptr && from->sa_family == AF_INET6) {
    address.family = AF_INET6;
    std::memcpy(address.bytes, &reinterpret_cast<const sockaddr_in6*>(from)->sin6_addr, sizeof(in6_addr));
  }
  return address;
}

bool is_of_link(const Address& address) noexcept {
  return address.family == AF_INET6 && address.bytes[0] == 0xfe && (address.bytes[1] & 0xc0) == 0x80;
}

Address usable(const ifaddrs& one) noexcept {
  const Address address = (one.ifa_flags & IFF_UP) != 0 ? address_in(one.ifa_addr) : Address{};
  return is_of_link(address) ? Address{} : address;
}

// Bridges for containers have one address on many machines: what is ours as well is the other PE's only if nothing else
// is.
enum Nearness { kOurs, kElsewhere, kSameNetwork };

Nearness nearness(const Address& address, const ifaddrs* list) noexcept {
  Nearness best = kElsewhere;
  for (const ifaddrs* one = list; one != nullptr; one = one->ifa_next) {
    const Address own = usable(*one);
    const Address mask = address_in(one->ifa_netmask);
    if (own.family != address.family || mask.family != address.family) {
      continue;
    }
    if (own == address) {
      return kOurs;
    }
    bool same = true;
    for (std::size_t k = 0; k < address.size(); ++k) {
      same = same && ((own.bytes[k] ^ address.bytes[k]) & mask.bytes[k]) == 0;
    }
    best = same ? kSameNetwork : best;
  }
  return best;
}

}  // namespace

bool Address::operator==(const Address& other) const noexcept {
  return family == other.family && std::memcmp(bytes, other.bytes, size()) == 0;
}

void Addresses::add(const Address& address) noexcept {
  if (n < kMost) {
    list[n++] = address;
  }
}

SocketAddress::SocketAddress(const Address& address, in_port_t port) noexcept {
  if (address.family == AF_INET) {
    sockaddr_in to{};
    to.sin_family = AF_INET;
    to.sin_port = port;
    std::memcpy(&to.sin_addr, address.bytes, sizeof to.sin_addr);
    std::memcpy(&storage, &to, bytes = sizeof to);
  } else {
    sockaddr_in6 to{};
    to.sin6_family = AF_INET6;
    to.sin6_port = port;
    std::memcpy(&to.sin6_addr, address.bytes, sizeof to.sin6_addr);
    std::memcpy(&storage, &to, bytes = sizeof to);
  }
}

AddressText text_of(const Address& address, in_port_t port) noexcept {
  AddressText made{};
  char host[INET6_ADDRSTRLEN] = "no address";
  (void)::inet_ntop(address.family, address.bytes, host, sizeof host);
  (void)std::snprintf(made.text, sizeof made.text, "%s port %u", host, static_cast<unsigned>(ntohs(port)));
  return made;
}

void write_card(const Addresses& addresses, boot::PeerCard* card) noexcept {
  std::memcpy(card->address, &addresses.port, sizeof addresses.port);
  std::size_t at = sizeof addresses.port;
  const auto is_v6 = [](const Address& address) { return address.family == AF_INET6; };
  const Address* const end = addresses.list + addresses.n;
  bool v6_to_come = std::any_of(addresses.list, end, is_v6);
  for (const Address* one = addresses.list; one != end; ++one) {
    const std::size_t kept_free = v6_to_come && !is_v6(*one) ? kOneV6 : 0;
    if (at + 1 + one->size() + kept_free > kRoom) {
      continue;
    }
    v6_to_come = v6_to_come && !is_v6(*one);
    card->address[at] = static_cast<std::uint8_t>(one->size());
    std::memcpy(card->address + at + 1, one->bytes, one->size());
    at += 1 + one->size();
  }
  card->address_bytes = static_cast<std::uint8_t>(at);
}

Addresses read_card(const boot::PeerCard& card) noexcept {
  Addresses made;
  const std::size_t end = std::min<std::size_t>(card.address_bytes, kRoom);
  std::size_t at = sizeof made.port;
  if (end >= at) {
    std::memcpy(&made.port, card.address, sizeof made.port);
  }
  while (at < end) {
    Address one;
    one.family = AF_INET6;
    if (card.address[at] == sizeof(in_addr)) {
      one.family = AF_INET;
    }
    if (card.address[at] != one.size() || at + 1 + one.size() > end) {
      return {};
    }
    std::memcpy(one.bytes, card.address + at + 1, one.size());
    made.add(one);
    at += 1 + one.size();
  }
  return made;
}

base::Result<Addresses> own_addresses(const char* interface) noexcept {
  const Interfaces list = interfaces();
  if (list == nullptr) {
    return Error::make("cannot find this machine's addresses: %s", std::strerror(errno));
  }
  Addresses found;
  for (const bool loopback : {false, true}) {
    for (const int family : {AF_INET, AF_INET6}) {
      for (const ifaddrs* one = list.get(); one != nullptr; one = one->ifa_next) {
        const bool wanted = interface == nullptr ? ((one->ifa_flags & IFF_LOOPBACK) != 0) == loopback
                                                 : std::strcmp(interface, one->ifa_name) == 0;
        if (const Address address = usable(*one); wanted && address.family == family) {
          found.add(address);
        }
      }
    }
    if (found.n > 0) {
      return found;
    }
  }
  return interface == nullptr
             ? Error::make("this machine has no address by which other PEs could reach it")
             : Error::make(
                   "WEFT_NET_INTERFACE=%s: no network interface of that name is up and has an address that others can "
                   "reach; `ip addr` lists them",
                   interface);
}

void sort_by_nearness(Addresses* addresses) noexcept {
  const Interfaces list = interfaces();
  std::stable_sort(addresses->list, addresses->list + addresses->n, [&](const Address& a, const Address& b) {
    return nearness(a, list.get()) > nearness(b, list.get());
  });
}

}  // namespace weft::transport::tcp
