// Messages that nobody waits for: how many there may be, and what becomes of the others.
#include <thread>

#include "leaf.hpp"
#include "transport/tcp/allowance.hpp"

namespace weft::transport::tcp {
namespace {

constexpr Tag kTag = 77;
constexpr std::uint64_t kAllowance = Allowance::of_each(2);
constexpr std::uint64_t kLarge = 2 * kAllowance;

/// PE 1 is a socket that sends.
class MessagesHere : public LeafTest {
 protected:
  void SetUp() override {
    LeafTest::SetUp();
    fd = come_in();
    ASSERT_GE(fd, 0);
  }
  static Request offer(Tag tag, std::uint64_t bytes, std::uint64_t number) {
    Request made = message(tag, bytes, number);
    made.ask = Ask::kOffer;
    return made;
  }
  void refused(const Request& request, const std::string& why) {
    say(fd, request);
    EXPECT_EQ(ending(fd), Ending::kClosed);
    EXPECT_NE(g_told.refused.find("PE 1 " + why), std::string::npos) << g_told.refused;
  }
  int fd = -1;
};

// The sum of this and of what a message takes beside it is small.
TEST_F(MessagesHere, ALengthThatWouldWrapIsRefused) {
  refused(message(kTag, UINT64_MAX - 40), "sends a message that it had to offer first");
}
TEST_F(MessagesHere, ALargeOneIsRefusedThatWasNotOffered) {
  refused(message(kTag, Allowance::largest(kAllowance) + 1), "sends a message that it had to offer first");
}
TEST_F(MessagesHere, OneThatWasNotWanted) {
  refused(message(kTag, 8, 5), "sends a message that it was not told is wanted");
}
TEST_F(MessagesHere, OneOfNoBytes) { refused(message(kTag, 0), "sends a message of no bytes"); }

TEST_F(MessagesHere, TheyEndWhereTheAllowanceDoes) {
  const std::vector<std::byte> data(1000);
  bool sent = true;
  for (std::uint64_t k = 0; sent && k < 2 * kAllowance / data.size(); ++k) {
    const Request head = message(kTag, data.size());
    sent = ::send(fd, &head, sizeof head, MSG_NOSIGNAL) > 0 && ::send(fd, data.data(), data.size(), MSG_NOSIGNAL) > 0;
    network->progress();
  }
  EXPECT_FALSE(sent && ending(fd) != Ending::kClosed);
  EXPECT_EQ(g_told.refused, "PE 1 sends more messages that nobody waits for than it may");
}

TEST_F(MessagesHere, OffersEndToo) {
  for (std::uint32_t k = 1; k <= Allowance::kOffers; ++k) say(fd, offer(kTag, kLarge, k));
  EXPECT_EQ(ending(fd, 50), Ending::kNothing);
  refused(offer(kTag, kLarge, Allowance::kOffers + 1), "sends more messages that nobody waits for than it may");
}

TEST_F(MessagesHere, WhatIsReceivedIsGivenBack) {
  std::vector<std::byte> data(Allowance::largest(kAllowance) / 2);
  std::vector<std::byte> room(data.size());
  std::uint64_t given = 0;
  for (int k = 0; k < 40; ++k) {
    std::thread sender([&] {
      say(fd, message(kTag, data.size()));
      ASSERT_EQ(::send(fd, data.data(), data.size(), MSG_NOSIGNAL), static_cast<ssize_t>(data.size()));
    });
    Pending pending;
    if (k % 2 == 0) (void)eventually([] { return false; }, 30);  // it comes before somebody waits
    network->receive(1, kTag, room.data(), room.size(), pending);
    EXPECT_TRUE(eventually([&] { return pending.done(); }));
    sender.join();
    Response response{};
    while (::recv(fd, &response, sizeof response, MSG_DONTWAIT) == static_cast<ssize_t>(sizeof response)) {
      EXPECT_EQ(response.answer, Answer::kTaken);
      given += response.value;
    }
  }
  EXPECT_GE(given + Allowance::largest(kAllowance), 40 * Allowance::cost(data.size()));
  EXPECT_EQ(g_told.refused + g_told.failed, "");
}

// Whoever comes first: the data goes straight to its place.
TEST_F(MessagesHere, WhatIsOfferedIsWantedWhenSomebodyWaits) {
  std::vector<std::byte> data(kLarge);
  std::vector<std::byte> room(kLarge);
  for (const bool waits_first : {true, false}) {
    const std::uint64_t number = waits_first ? 1 : 2;
    std::fill(data.begin(), data.end(), std::byte{static_cast<unsigned char>(number)});
    Pending pending;
    if (waits_first) network->receive(1, kTag, room.data(), room.size(), pending);
    say(fd, offer(kTag, kLarge, number));
    EXPECT_EQ(ending(fd, 20), waits_first ? Ending::kAnswered : Ending::kNothing);
    if (!waits_first) {
      network->receive(1, kTag, room.data(), room.size(), pending);
      EXPECT_EQ(ending(fd), Ending::kAnswered);
    }
    std::thread sender([&] {
      say(fd, message(0, kLarge, number));
      ASSERT_EQ(::send(fd, data.data(), data.size(), MSG_NOSIGNAL), static_cast<ssize_t>(data.size()));
    });
    EXPECT_TRUE(eventually([&] { return pending.done(); }));
    sender.join();
    EXPECT_TRUE(room == data);
  }
}

/// PE 1 is a socket that receives, and says so as it likes.
class MessagesThere : public LeafTest {
 protected:
  void SetUp() override {
    LeafTest::SetUp();
    const auto made = listen_on(nullptr, "lo");
    ASSERT_TRUE(made);
    ASSERT_TRUE(tell_addresses(keep(*made), "lo", boot::peer_card(job, 1)));
    // What brings the connection about.
    network->send(1, kTag, &first, sizeof first, pending);
    ASSERT_TRUE(eventually([&] { return (fd = ::accept4(*made, nullptr, nullptr, SOCK_CLOEXEC)) >= 0; }));
    keep(fd);
    Hello hello{};
    say(fd, Challenge{Challenge::kMagic, {}});
    ASSERT_TRUE(hear(fd, &hello));
    say(fd, Welcome{prove(job->key, Role::kListener, {hello.from, hello.to, {}, hello.nonce})});
    Request request{};
    ASSERT_TRUE(hear(fd, &request) && hear(fd, &first));
    EXPECT_EQ(request.ask, Ask::kMessage);
  }
  /// Of the next request, whose data is left where it is.
  Ask heard(Request* request) { return hear(fd, request) ? request->ask : Ask::kBye; }
  int fd = -1;
  std::uint64_t first = 1;
  Pending pending;
};

// And a put behind it does not wait for it.
TEST_F(MessagesThere, ALargeOneIsOfferedFirst) {
  std::vector<std::byte> data(kLarge, std::byte{3});
  Pending sent;
  network->send(1, kTag, data.data(), data.size(), sent);
  Pending put;
  network->put({1, heap_key, 0}, &first, sizeof first, true, put);
  Request request{};
  EXPECT_EQ(heard(&request), Ask::kOffer);
  EXPECT_EQ(request.bytes, kLarge);
  const std::uint64_t number = request.operand;
  EXPECT_EQ(heard(&request), Ask::kPut);
  std::uint64_t value = 0;
  EXPECT_TRUE(hear(fd, &value));
  say(fd, Response{Answer::kDone, 1, 0});
  EXPECT_TRUE(eventually([&] { return put.done(); }));
  EXPECT_FALSE(sent.done());
  say(fd, Response{Answer::kWanted, 1, number});
  std::vector<std::byte> came(kLarge);
  EXPECT_EQ(heard(&request), Ask::kMessage);
  EXPECT_EQ(request.operand, number);
  EXPECT_TRUE(hear_bytes(fd, came.data(), came.size()));
  EXPECT_TRUE(came == data);
  EXPECT_TRUE(eventually([&] { return sent.done(); }));
}

TEST_F(MessagesThere, SmallOnesAreWhenTheAllowanceIsUsedUp) {
  std::vector<std::byte> data(Allowance::largest(kAllowance));
  std::vector<std::byte> came(data.size());
  Request request{};
  int at_once = 0;
  Pending sent[8];
  for (Pending& each : sent) {
    network->send(1, kTag, data.data(), data.size(), each);
    if (heard(&request) == Ask::kOffer) break;
    ++at_once;
    EXPECT_TRUE(hear_bytes(fd, came.data(), came.size()));
  }
  EXPECT_EQ(at_once, 3);  // and a fourth would be more than there is
  EXPECT_EQ(request.ask, Ask::kOffer);
  say(fd, Response{Answer::kTaken, 1, Allowance::cost(data.size())});
  say(fd, Response{Answer::kWanted, 1, request.operand});
  EXPECT_EQ(heard(&request), Ask::kMessage);
  EXPECT_TRUE(hear_bytes(fd, came.data(), came.size()));
  Pending more;
  network->send(1, kTag, data.data(), data.size(), more);
  EXPECT_EQ(heard(&request), Ask::kMessage);
  EXPECT_EQ(request.operand, 0U);
  EXPECT_TRUE(hear_bytes(fd, came.data(), came.size()));
  EXPECT_TRUE(eventually([&] { return more.done(); }));
}

TEST_F(MessagesThere, WhoGivesBackMoreThanItGotIsLeft) {
  say(fd, Response{Answer::kTaken, 1, UINT64_MAX});
  (void)eventually([] { return !g_told.failed.empty(); });
  EXPECT_NE(g_told.failed, "");
}

TEST_F(MessagesThere, WhoWantsWhatWasNotOfferedIsLeft) {
  say(fd, Response{Answer::kWanted, 1, 99});
  (void)eventually([] { return !g_told.failed.empty(); });
  EXPECT_NE(g_told.failed, "");
}

}  // namespace
}  // namespace weft::transport::tcp
