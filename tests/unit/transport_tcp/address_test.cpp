#include "transport/tcp/address.hpp"

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cstring>
#include <string>

#include "transport/tcp/socket.hpp"

namespace weft::transport::tcp {
namespace {

Address address(const char* text) {
  Address made;
  made.family = std::strchr(text, ':') == nullptr ? AF_INET : AF_INET6;
  EXPECT_EQ(::inet_pton(made.family, text, made.bytes), 1) << text;
  return made;
}

std::string text(const Addresses& addresses) {
  std::string all;
  for (int k = 0; k < addresses.n; ++k) all += std::string(text_of(addresses.list[k], addresses.port).text) + "; ";
  return all;
}

// 0: connected.
int reach(const boot::PeerCard& card, const char* interface) {
  const Addresses there = read_card(card);
  int error = 0;
  const int fd = begin_connect(there.list[0], there.port, interface, &error);
  pollfd waits{fd, POLLOUT, 0};
  if (fd < 0) return error;
  (void)::poll(&waits, 1, 10'000);
  error = connect_error(fd);
  (void)::close(fd);
  return error;
}

TEST(TcpAddress, ACardLeadsToWhoListens) {
  for (const char* interface : {static_cast<const char*>(nullptr), "lo"}) {
    const auto listener = listen_on(nullptr, interface);
    ASSERT_TRUE(listener);
    boot::PeerCard card{};
    ASSERT_TRUE(tell_addresses(*listener, interface, &card));
    EXPECT_EQ(reach(card, interface), 0);
    (void)::close(*listener);
  }
}

TEST(TcpAddress, AnInterfaceThatIsNotThere) {
  const auto listener = listen_on(nullptr, "carrier0");
  ASSERT_FALSE(listener);
  EXPECT_NE(std::string(listener.error().text()).find("WEFT_NET_INTERFACE=carrier0"), std::string::npos);
}

// Nobody can come by another network.
TEST(TcpAddress, AnInterfaceIsListenedAtAlone) {
  const auto listener = listen_on(nullptr, "lo");
  ASSERT_TRUE(listener);
  SocketAddress at;
  at.bytes = sizeof at.storage;
  ASSERT_EQ(::getsockname(*listener, at.get(), &at.bytes), 0);
  ASSERT_EQ(at.storage.ss_family, AF_INET);
  EXPECT_EQ(reinterpret_cast<const sockaddr_in*>(at.get())->sin_addr.s_addr, htonl(INADDR_LOOPBACK));
  boot::PeerCard card{};
  ASSERT_TRUE(tell_addresses(*listener, "lo", &card));
  EXPECT_EQ(read_card(card).n, 1);
  (void)::close(*listener);
}

TEST(TcpAddress, WithoutOneBothFamiliesReachIt) {
  const auto listener = listen_on(nullptr, nullptr);
  ASSERT_TRUE(listener);
  boot::PeerCard card{};
  ASSERT_TRUE(tell_addresses(*listener, nullptr, &card));
  Addresses told = read_card(card);
  for (const char* host : {"127.0.0.1", "::1"}) {
    const Address here = address(host);
    const int probe = ::socket(here.family, SOCK_STREAM | SOCK_CLOEXEC, 0);
    const SocketAddress any(here, 0);
    const bool has = probe >= 0 && ::bind(probe, any.get(), any.bytes) == 0;
    (void)::close(probe);
    if (!has) continue;  // a machine without IPv6
    told.list[0] = here;
    told.n = 1;
    write_card(told, &card);
    EXPECT_EQ(reach(card, nullptr), 0) << host;
  }
  (void)::close(*listener);
}

TEST(TcpAddress, PortsOfARange) {
  const auto first = listen_on("23456-23459", nullptr);
  const auto second = listen_on("23456-23459", "lo");
  ASSERT_TRUE(first && second);
  (void)::close(*first);
  (void)::close(*second);
  for (const char* wrong : {"23456", "0-1", "5-4", "1-65536", "1-2x", "many"}) {
    const auto none = listen_on(wrong, nullptr);
    ASSERT_FALSE(none) << wrong;
    EXPECT_NE(std::string(none.error().text()).find("WEFT_NET_PORTS=" + std::string(wrong)), std::string::npos);
  }
}

TEST(TcpAddress, NobodyListens) {
  const auto listener = listen_on(nullptr, "lo");
  boot::PeerCard card{};
  ASSERT_TRUE(tell_addresses(*listener, "lo", &card));
  (void)::close(*listener);
  EXPECT_EQ(reach(card, nullptr), ECONNREFUSED);
}

TEST(TcpAddress, CardsHoldBothFamilies) {
  Addresses told;
  told.port = htons(77);
  for (const char* one : {"10.0.0.1", "192.168.3.4", "fd00::7"}) told.add(address(one));
  boot::PeerCard card{};
  write_card(told, &card);
  EXPECT_EQ(text(read_card(card)), "10.0.0.1 port 77; 192.168.3.4 port 77; fd00::7 port 77; ");
}

// But not all of them; one of each in any case.
TEST(TcpAddress, CardsHoldAsManyAsFit) {
  Addresses told;
  for (int k = 1; k < 12; ++k) told.add(address(("10.0.0." + std::to_string(k)).c_str()));
  for (const char* one : {"fd00::7", "fd00::8", "fd00::9"}) told.add(address(one));
  boot::PeerCard card{};
  write_card(told, &card);
  const Addresses read = read_card(card);
  EXPECT_EQ(read.list[read.n - 1].family, AF_INET6);
  EXPECT_EQ(read.list[0].family, AF_INET);
  EXPECT_LE(card.address_bytes, boot::PeerCard::kMostAddress);
}

TEST(TcpAddress, CardsOfAnyBytes) {
  boot::PeerCard card{};
  for (unsigned bytes = 0; bytes < 256; ++bytes) {
    for (unsigned fill = 0; fill < 256; ++fill) {
      std::memset(card.address, static_cast<int>(fill), sizeof card.address);
      card.address_bytes = static_cast<std::uint8_t>(bytes);
      const Addresses read = read_card(card);
      ASSERT_GE(read.n, 0);
      ASSERT_LE(read.n, Addresses::kMost);
    }
  }
}

}  // namespace
}  // namespace weft::transport::tcp
