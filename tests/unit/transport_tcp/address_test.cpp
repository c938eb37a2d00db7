#include "transport/tcp/address.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <string>

namespace weft::transport::tcp {
namespace {

TEST(TcpAddress, ACardLeadsToWhoListens) {
  const auto listener = listen_on(nullptr);
  ASSERT_TRUE(listener);
  for (const char* interface : {static_cast<const char*>(nullptr), "lo"}) {
    boot::PeerCard card{};
    ASSERT_TRUE(tell_addresses(*listener, interface, &card));
    const auto made = connect_to(card);
    ASSERT_TRUE(made) << made.error().text();
    (void)::close(*made);
  }
  (void)::close(*listener);
}

TEST(TcpAddress, AnInterfaceThatIsNotThere) {
  const auto listener = listen_on(nullptr);
  boot::PeerCard card{};
  const auto told = tell_addresses(*listener, "carrier0", &card);
  ASSERT_FALSE(told);
  EXPECT_NE(std::string(told.error().text()).find("WEFT_NET_INTERFACE=carrier0"), std::string::npos);
  (void)::close(*listener);
}

TEST(TcpAddress, PortsOfARange) {
  const auto first = listen_on("23456-23459");
  const auto second = listen_on("23456-23459");
  ASSERT_TRUE(first && second);
  (void)::close(*first);
  (void)::close(*second);
  for (const char* wrong : {"23456", "0-1", "5-4", "1-65536", "1-2x", "many"}) {
    const auto none = listen_on(wrong);
    ASSERT_FALSE(none) << wrong;
    EXPECT_NE(std::string(none.error().text()).find("WEFT_NET_PORTS=" + std::string(wrong)), std::string::npos);
  }
}

TEST(TcpAddress, NobodyListens) {
  const auto listener = listen_on(nullptr);
  boot::PeerCard card{};
  ASSERT_TRUE(tell_addresses(*listener, "lo", &card));
  (void)::close(*listener);
  const auto made = connect_to(card);
  ASSERT_FALSE(made);
  EXPECT_NE(std::string(made.error().text()).find("no connection to 127.0.0.1 port "), std::string::npos)
      << made.error().text();
}

}  // namespace
}  // namespace weft::transport::tcp
