// How a PE comes to another one, which is a socket of the test.
#include <netinet/tcp.h>

#include <algorithm>

#include "leaf.hpp"

namespace weft::transport::tcp {
namespace {

class GreetingTest : public LeafTest {
 protected:
  void SetUp() override {
    LeafTest::SetUp();
    const auto made = listen_on(nullptr, "lo");
    ASSERT_TRUE(made);
    listener = keep(*made);
    ASSERT_TRUE(tell_addresses(listener, "lo", boot::peer_card(job, 1)));
  }
  void put() { network->put({1, heap_key, 0}, &value, sizeof value, Source::kReusable, pending); }
  /// The next one that comes; -1: nobody.
  int accepted() {
    int fd = -1;
    (void)eventually([&] { return (fd = ::accept4(listener, nullptr, nullptr, SOCK_CLOEXEC)) >= 0; });
    return fd < 0 ? fd : keep(fd);
  }
  Hello challenge(int fd, std::uint64_t magic = Challenge::kMagic) {
    Hello said{};
    say(fd, Challenge{magic, nonce});
    EXPECT_TRUE(hear(fd, &said) || magic != Challenge::kMagic);
    return said;
  }
  void welcome(int fd, const Hello& hello) {
    say(fd, Welcome{prove(job->key, Role::kListener, {hello.from, hello.to, nonce, hello.nonce})});
  }
  /// And the put is answered.
  void serve(int fd) {
    welcome(fd, challenge(fd));
    Request request{};
    std::uint64_t came = 0;
    ASSERT_TRUE(hear(fd, &request) && hear(fd, &came));
    EXPECT_EQ(came, value);
    say(fd, Response{Answer::kDone, 1, 0});
    EXPECT_TRUE(eventually([&] { return pending.done(); }));
  }

  const Nonce nonce{{1, 2, 3}};
  int listener = -1;
  std::uint64_t value = 0x1122334455667788;
  Pending pending;
};

TEST_F(GreetingTest, BothProveThatTheyKnowTheKey) {
  put();
  const int fd = accepted();
  const Hello hello = challenge(fd);
  EXPECT_EQ(hello.from, 0);
  EXPECT_EQ(hello.to, 1);
  EXPECT_TRUE(same(hello.proof, prove(job->key, Role::kCaller, {0, 1, nonce, hello.nonce})));
  // Nothing else before the other side has proved it too.
  char more = 0;
  for (int looks = 0; looks < 50; ++looks) network->progress();
  EXPECT_LT(::recv(fd, &more, 1, MSG_DONTWAIT), 0);
  welcome(fd, hello);
  Request request{};
  EXPECT_TRUE(hear(fd, &request));
  EXPECT_EQ(request.ask, Ask::kPut);
}

// Where all atomic operations of a job go through the network, those on its own memory too.
TEST_F(GreetingTest, APeComesToItself) {
  network->put({0, heap_key, 64}, &value, sizeof value, Source::kReusable, pending);
  EXPECT_TRUE(eventually([&] { return pending.done(); })) << g_told.failed;
  EXPECT_EQ(std::memcmp(heap + 64, &value, sizeof value), 0);
}

// As many puts as are kept for a connection, and a little more, before there is one.
TEST_F(GreetingTest, WhatIsKeptDoesNotKeepItFromComing) {
  constexpr std::size_t kKept = std::size_t{1} << 20;
  std::vector<std::byte> data(1000, std::byte{5});
  std::size_t kept = 0;
  for (; kept < kKept; kept += sizeof(Request) + data.size()) {
    network->put({1, heap_key, 0}, data.data(), data.size(), Source::kReusable, pending);
  }
  ASSERT_GT(kept, kKept);
  const int fd = accepted();
  welcome(fd, challenge(fd));
  for (std::size_t came = 0; came < kept; came += sizeof(Request) + data.size()) {
    Request request{};
    ASSERT_TRUE(hear(fd, &request) && hear_bytes(fd, data.data(), data.size()));
    say(fd, Response{Answer::kDone, 1, 0});
  }
  EXPECT_TRUE(eventually([&] { return pending.done(); })) << g_told.failed;
}

TEST_F(GreetingTest, TheKeyIsNotSent) {
  put();
  const int fd = accepted();
  const Hello hello = challenge(fd);
  const auto* bytes = reinterpret_cast<const char*>(&hello);
  for (const std::uint64_t& half : job->key) {
    const auto* key = reinterpret_cast<const char*>(&half);
    EXPECT_EQ(std::search(bytes, bytes + sizeof hello, key, key + sizeof half), bytes + sizeof hello);
  }
}

TEST_F(GreetingTest, WhoDoesNotKnowItGetsNothing) {
  put();
  for (int tries = 0; g_told.failed.empty() && tries < 10; ++tries) {
    const int fd = accepted();
    if (fd < 0) break;
    const Hello hello = challenge(fd);
    // What it was sent itself, which a listener that knows no key has.
    say(fd, Welcome{hello.proof});
    char more = 0;
    EXPECT_FALSE(hear(fd, &more));
  }
  EXPECT_NE(g_told.failed.find("connecting with PE 1: somebody who does not know the job's key at 127.0.0.1 port "),
            std::string::npos)
      << g_told.failed;
}

TEST_F(GreetingTest, SomethingElseListens) {
  put();
  for (int tries = 0; g_told.failed.empty() && tries < 10; ++tries) {
    const int fd = accepted();
    if (fd < 0) break;
    (void)challenge(fd, 0x0a0d'3031'2d48'5353);
  }
  EXPECT_NE(g_told.failed.find("no PE of this version of Weft"), std::string::npos) << g_told.failed;
}

// It had no room for a stranger, or was stopped.
TEST_F(GreetingTest, WhoIsSentAwayComesAgain) {
  put();
  let_go(accepted());
  const int second = accepted();
  (void)challenge(second);
  let_go(second);
  serve(accepted());
  EXPECT_EQ(g_told.failed, "");
}

TEST_F(GreetingTest, NobodyListens) {
  let_go(listener);
  put();
  (void)eventually([] { return !g_told.failed.empty(); });
  EXPECT_NE(g_told.failed.find("connecting with PE 1: no connection to 127.0.0.1 port "), std::string::npos)
      << g_told.failed;
}

// As of a host that is off. Neither the caller nor those who want something of this PE wait for it.
TEST_F(GreetingTest, WhoDoesNotAnswerKeepsNobody) {
  ASSERT_EQ(::listen(listener, 0), 0);
  const SocketAddress to(read_card(*boot::peer_card(job, 1)).list[0], read_card(*boot::peer_card(job, 1)).port);
  for (int k = 0; k < 3; ++k) {  // until the kernel's queue is full
    (void)::connect(keep(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0)), to.get(), to.bytes);
  }
  put();
  const int fd = come_in();
  ASSERT_GE(fd, 0);
  say(fd, put_at(8, 8));
  say(fd, value);
  EXPECT_EQ(ending(fd), Ending::kAnswered);
  EXPECT_FALSE(pending.done());
  EXPECT_EQ(g_told.failed, "");
}

// A host that falls silent is noticed, on both ends of a connection.
TEST_F(GreetingTest, SilenceEnds) {
  put();
  const int fd = accepted();
  welcome(fd, challenge(fd));
  Request request{};
  ASSERT_TRUE(hear(fd, &request));
  // Of sockets that the leaf has made and accepted: both are among the descriptors of this process.
  int kept_alive = 0;
  const int in = come_in();
  for (int other = 0; other < 256; ++other) {
    int on = 0;
    int idle = 0;
    int timeout = 0;
    socklen_t bytes = sizeof on;
    const bool is_leafs = std::find(fds.begin(), fds.end(), other) == fds.end();
    if (is_leafs && ::getsockopt(other, SOL_SOCKET, SO_KEEPALIVE, &on, &bytes) == 0 && on != 0) {
      ++kept_alive;
      EXPECT_EQ(::getsockopt(other, IPPROTO_TCP, TCP_KEEPIDLE, &idle, &bytes), 0);
      EXPECT_EQ(::getsockopt(other, IPPROTO_TCP, TCP_USER_TIMEOUT, &timeout, &bytes), 0);
      EXPECT_EQ(idle, 10);
      EXPECT_EQ(timeout, 20'000);
    }
  }
  EXPECT_GE(in, 0);
  EXPECT_EQ(kept_alive, 2);
}

}  // namespace
}  // namespace weft::transport::tcp
