// Where a PE listens: what its card says of that, and which of its addresses is best from here.
#pragma once

#include <netinet/in.h>

#include "base/result.hpp"
#include "boot/job.hpp"

namespace weft::transport::tcp {

/// Of one machine, IPv4 or IPv6.
struct Address {
  sa_family_t family = AF_UNSPEC;
  std::uint8_t bytes[16] = {};  // in network byte order, 4 or 16 of them

  std::size_t size() const noexcept { return family == AF_INET ? sizeof(in_addr) : sizeof(in6_addr); }
  bool operator==(const Address& other) const noexcept;
};

struct Addresses {
  static constexpr int kMost = 16;
  in_port_t port = 0;  // in network byte order
  int n = 0;
  Address list[kMost];

  void add(const Address& address) noexcept;
};

/// An address with a port, as the system calls take it.
struct SocketAddress {
  sockaddr_storage storage{};
  socklen_t bytes = 0;

  SocketAddress() = default;
  SocketAddress(const Address& address, in_port_t port) noexcept;
  const sockaddr* get() const noexcept { return reinterpret_cast<const sockaddr*>(&storage); }
  sockaddr* get() noexcept { return reinterpret_cast<sockaddr*>(&storage); }
};

/// "10.0.0.1 port 7", "fd00::1 port 7".
struct AddressText {
  char text[INET6_ADDRSTRLEN + 16];
};
AddressText text_of(const Address& address, in_port_t port) noexcept;

/// In a card and out of it. What does not fit is left out, the last ones first, but not the only one of its family.
/// A card may hold any bytes; then there are none.
void write_card(const Addresses& addresses, boot::PeerCard* card) noexcept;
Addresses read_card(const boot::PeerCard& card) noexcept;

/// Of this machine: those of one interface; null: of all but the loopback, which is taken where there is nothing else.
/// Addresses of a link alone (fe80::) are left out, as they mean nothing elsewhere.
base::Result<Addresses> own_addresses(const char* interface) noexcept;

/// The nearest first: those in a network of ours, and last those that are also ours.
void sort_by_nearness(Addresses* addresses) noexcept;

}  // namespace weft::transport::tcp
