// Messages by tag, over a network that is two lines of what was told, each with as much room as a test likes.
#include "transport/tagged.hpp"

#include <gtest/gtest.h>
#include <sys/mman.h>

#include <atomic>
#include <chrono>
#include <cstring>
#include <deque>
#include <string>
#include <thread>
#include <vector>

#include "transport/allowance.hpp"

namespace weft::transport {
namespace {

constexpr Tag kTag = 77;
constexpr std::uint64_t kAllowance = Allowance::of_each(2);
constexpr std::size_t kLarge = 2 * kAllowance;

std::string g_failed;
std::string g_refused;

/// What one of two PEs tells the other.
class Line : public Transport {
 public:
  struct Letter {
    Arrival arrival;
    std::vector<std::byte> data;
    Pending::Count* count;
  };

  Told tell(int /*pe*/, const Message& what, Pending& pending) noexcept override {
    if (told.size() >= room) return Told::kAgain;
    told.push_back(letter(me, what, false, pending.begin()));
    return Told::kPosted;
  }
  static Letter letter(int from, const Message& what, bool is_answer, Pending::Count* count) {
    Letter made{{from, what.kind, is_answer, what.head_bytes, what.bytes, {}, {}}, {}, count};
    std::memcpy(made.arrival.head, what.head, what.head_bytes);
    const auto* data = static_cast<const std::byte*>(what.data);
    if (what.bytes > 0) made.data.assign(data, data + what.bytes);
    return made;
  }
  /// The oldest, to the other PE. False: there is none.
  bool deliver(Line& other) {
    if (told.empty()) return false;
    Letter letter = std::move(told.front());
    told.pop_front();
    other.take(letter, this);
    if (letter.count != nullptr) letter.count->end();
    return true;
  }

  int me = 0;
  std::size_t room = SIZE_MAX;
  std::deque<Letter> told;
  Kinds kinds;

  const char* name() const noexcept override { return "line"; }
  std::size_t inject_bytes() const noexcept override { return 0; }
  std::size_t copy_bytes() const noexcept override { return 0; }
  base::Result<void> copy_up_to(std::size_t) noexcept override { return {}; }
  bool amo_cpu_coherent() const noexcept override { return true; }
  base::Result<void> open(boot::PeerCard*) noexcept override { return {}; }
  void close() noexcept override {}
  base::Result<RegionKey> lend(const Memory&) noexcept override { return RegionKey{}; }
  void take_back(const RegionKey&) noexcept override {}
  void put(const Remote&, const void*, std::size_t, Source, Pending&) noexcept override { FAIL(); }
  void get(void*, const Remote&, std::size_t, Pending&) noexcept override { FAIL(); }
  void atomic(const Remote&, const Atomic&, void*, Pending&) noexcept override { FAIL(); }
  void put_then(const Remote&, const void*, std::size_t, bool, const Remote&, const Atomic&,
                Pending&) noexcept override {
    FAIL();
  }
  bool keeps_order() const noexcept override { return false; }
  void progress() noexcept override {}
  bool sleep(int) noexcept override { return false; }

 private:
  /// An answer goes back at once: it has its own room.
  class Back final : public Answerer {
   public:
    Back(Line* to, int from) : to_(to), from_(from) {}
    bool answer(const Message& what) noexcept override {
      EXPECT_NE(to_, nullptr) << "an answer is not answered";
      EXPECT_FALSE(answered_);
      answered_ = true;
      Letter back = letter(from_, what, true, nullptr);
      if (to_ != nullptr) to_->take(back, nullptr);
      return true;
    }
    Owed* keep() noexcept override { return nullptr; }  // answers by tag are never late

   private:
    Line* to_;
    int from_;
    bool answered_ = false;
  };
  void take(Letter& letter, Line* from) {
    const Handler* handler = kinds.find(letter.arrival.kind);
    ASSERT_NE(handler, nullptr);
    Back back(from, me);
    letter.arrival.landing = handler->place(handler->self, letter.arrival, back);
    if (letter.arrival.landing.at != nullptr && !letter.data.empty()) {
      std::memcpy(letter.arrival.landing.at, letter.data.data(), letter.data.size());
    }
    handler->arrived(handler->self, letter.arrival, back);
  }
};

class TaggedTest : public testing::Test {
 protected:
  void SetUp() override {
    g_failed = g_refused = "";
    job.job_pes = 2;
    for (int pe = 0; pe < 2; ++pe) {
      line[pe].me = pe;
      const transport::Setup setup{
          &job,
          pe,
          [](const char* operation, int with, const char* why) noexcept {
            g_failed = std::string(operation) + " with PE " + std::to_string(with) + ": " + why;
          },
          nullptr,
          nullptr,
          [](int by, const char* what) noexcept { g_refused = "PE " + std::to_string(by) + " " + what; }};
      ASSERT_TRUE(tagged[pe].begin(line[pe], setup, line[pe].kinds));
    }
  }
  void TearDown() override { EXPECT_EQ(g_failed, expected_failure); }
  /// Until nothing is left to do.
  void go_on() {
    for (bool more = true; more;) {
      more = line[0].deliver(line[1]);
      more = line[1].deliver(line[0]) || more;
      tagged[0].go_on();
      tagged[1].go_on();
      more = more || !line[0].told.empty() || !line[1].told.empty();
    }
  }
  /// As PE 0 says to PE 1, whatever it likes.
  void say(std::uint64_t tag, std::uint64_t bytes, std::uint64_t number, std::uint32_t what,
           const std::vector<std::byte>& data = {}) {
    struct {
      std::uint64_t tag, bytes, number;
      std::uint32_t what, unused;
    } const head{tag, bytes, number, what, 0};
    line[0].told.push_back(
        Line::letter(0, {Tagged::kKind, &head, sizeof head, data.data(), data.size()}, false, nullptr));
    go_on();
  }
  boot::JobHeader job{};
  std::string expected_failure;
  Line line[2];
  Tagged tagged[2];
};

TEST_F(TaggedTest, SmallOnesComeWithTheirData) {
  std::uint64_t sent = 5;
  std::uint64_t came = 0;
  for (const bool waits_first : {true, false}) {
    Pending sending;
    Pending receiving;
    if (waits_first) tagged[1].receive(0, kTag, &came, sizeof came, receiving);
    tagged[0].send(1, kTag, &sent, sizeof sent, sending);
    EXPECT_EQ(line[0].told.size(), 1U);
    go_on();
    EXPECT_TRUE(sending.done());
    if (!waits_first) tagged[1].receive(0, kTag, &came, sizeof came, receiving);
    EXPECT_TRUE(receiving.done());
    EXPECT_EQ(came, sent++);
  }
  EXPECT_EQ(g_refused, "");
}

// Whoever comes first: nothing is sent before somebody wants it.
TEST_F(TaggedTest, LargeOnesAreOfferedFirst) {
  std::vector<std::byte> data(kLarge, std::byte{3});
  for (const bool waits_first : {true, false}) {
    std::vector<std::byte> room(kLarge);
    Pending sending;
    Pending receiving;
    if (waits_first) tagged[1].receive(0, kTag, room.data(), room.size(), receiving);
    tagged[0].send(1, kTag, data.data(), data.size(), sending);
    ASSERT_EQ(line[0].told.size(), 1U);
    EXPECT_TRUE(line[0].told.front().data.empty());
    go_on();
    if (!waits_first) {
      EXPECT_FALSE(sending.done());
      tagged[1].receive(0, kTag, room.data(), room.size(), receiving);
      go_on();
    }
    EXPECT_TRUE(sending.done() && receiving.done());
    EXPECT_TRUE(room == data);
  }
  EXPECT_EQ(g_refused, "");
}

TEST_F(TaggedTest, SmallOnesAreOfferedWhenTheAllowanceIsUsedUp) {
  const std::vector<std::byte> data(Allowance::largest(kAllowance));
  Pending sending;
  int at_once = 0;
  for (; at_once < 8; ++at_once) {
    tagged[0].send(1, kTag, data.data(), data.size(), sending);
    if (line[0].told.back().data.empty()) break;
  }
  EXPECT_EQ(at_once, 3);  // and a fourth would be more than there is
  go_on();
  std::vector<std::byte> room(data.size());
  for (int k = 0; k <= at_once; ++k) {
    Pending receiving;
    tagged[1].receive(0, kTag, room.data(), room.size(), receiving);
    go_on();
    EXPECT_TRUE(receiving.done());
  }
  // And what was received has been given back.
  tagged[0].send(1, kTag, data.data(), data.size(), sending);
  EXPECT_FALSE(line[0].told.back().data.empty());
  go_on();
  EXPECT_TRUE(sending.done());
  EXPECT_EQ(g_refused, "");
}

// The network has room for one thing at a time; all comes, and in order.
TEST_F(TaggedTest, WhatThereIsNoRoomForWaits) {
  line[0].room = line[1].room = 1;
  constexpr std::uint64_t kMessages = 500;
  std::vector<std::uint64_t> numbers(kMessages);
  Pending sending;
  for (std::uint64_t k = 0; k < kMessages; ++k) {
    numbers[k] = k;
    tagged[0].send(1, kTag, &numbers[k], sizeof numbers[k], sending);
  }
  EXPECT_FALSE(sending.done());
  std::vector<std::uint64_t> came(kMessages);
  Pending receiving;
  for (std::uint64_t k = 0; k < kMessages; ++k) {
    tagged[1].receive(0, kTag, &came[k], sizeof came[k], receiving);
    if (k % 3 == 0) go_on();
  }
  go_on();
  EXPECT_TRUE(sending.done() && receiving.done());
  EXPECT_EQ(came, numbers);
  EXPECT_EQ(g_refused, "");
}

// Who tells PE 1 something is held up until somebody has told PE 2 something.
class Crossing final : public Line {
 public:
  Told tell(int pe, const Message& /*what*/, Pending& /*pending*/) noexcept override {
    const auto limit = std::chrono::steady_clock::now() + std::chrono::seconds(60);
    (pe == 1 ? held_up : crossed) = true;
    while (!crossed && std::chrono::steady_clock::now() < limit) std::this_thread::yield();
    return Told::kDone;
  }
  std::atomic<bool> held_up = false;
  std::atomic<bool> crossed = false;
};

TEST_F(TaggedTest, ThreadsWithDifferentPeersDoNotHoldEachOtherUp) {
  job.job_pes = 3;
  Crossing crossing;
  Tagged from;
  ASSERT_TRUE(from.begin(crossing, {&job, 0, nullptr, nullptr, nullptr, nullptr}, crossing.kinds));
  const std::uint64_t data = 5;
  Pending pending;
  std::thread first([&] {
    from.send(1, kTag, &data, sizeof data, pending);
    EXPECT_TRUE(crossing.crossed);
  });
  while (!crossing.held_up) std::this_thread::yield();
  from.send(2, kTag, &data, sizeof data, pending);
  first.join();
  // And what comes of one while another one's is received.
  std::uint64_t got = 0;
  std::thread second([&] { from.receive(1, kTag, &got, sizeof got, pending); });
  from.receive(2, kTag, &got, sizeof got, pending);
  second.join();
  EXPECT_FALSE(pending.done());
}

TEST_F(TaggedTest, AnotherLengthIsToldOf) {
  expected_failure = "the receipt of a message with PE 0: it has 8 bytes, expected are 16";
  std::uint64_t wanted[2];
  const std::uint64_t sent = 1;
  Pending pending;
  tagged[1].receive(0, kTag, wanted, sizeof wanted, pending);
  tagged[0].send(1, kTag, &sent, sizeof sent, pending);
  go_on();
}

constexpr std::uint32_t kMessage = 0;
constexpr std::uint32_t kOffer = 1;
constexpr std::uint32_t kWanted = 2;
constexpr std::uint32_t kWantedData = 3;
constexpr std::uint32_t kTaken = 4;

TEST_F(TaggedTest, WhoHasLostItsSensesIsRefused) {
  const std::vector<std::byte> large(Allowance::largest(kAllowance) + 1);
  const std::vector<std::byte> small(8);
  const auto refused = [&](const char* why) {
    EXPECT_NE(g_refused.find(std::string("PE 0 ") + why), std::string::npos) << g_refused << " for " << why;
    g_refused = "";
  };
  say(kTag, large.size(), 0, kMessage, large);
  refused("sends a message that it had to offer first");
  say(kTag, UINT64_MAX, 0, kMessage, small);
  refused("sends a message that it had to offer first");
  say(kTag, 0, 0, kMessage);
  refused("sends a message of no bytes");
  say(0, 8, 5, kWantedData, small);
  refused("sends a message that it was not told is wanted");
  say(kTag, 8, 0, kOffer);
  refused("offers a message that is none");
  say(0, 0, 99, kWanted);
  refused("wants a message that it was not offered");
  say(0, 0, UINT64_MAX, kTaken);
  refused("gives back more room");
  say(0, 0, 1, kTaken);
  refused("gives back more room");
  say(0, 0, 0, 99);
  refused("sends a message that is none");
}

TEST_F(TaggedTest, WhatNobodyWaitsForEnds) {
  const std::vector<std::byte> data(100'000);
  std::uint64_t k = 0;
  for (; g_refused.empty() && k < 1000; ++k) say(kTag, data.size(), 0, kMessage, data);
  EXPECT_EQ(g_refused, "PE 0 sends more messages that nobody waits for than it may");
  EXPECT_EQ(k, kAllowance / Allowance::cost(data.size()) + 1);
}

TEST_F(TaggedTest, OffersEndToo) {
  for (std::uint32_t k = 1; k <= Allowance::kOffers; ++k) say(kTag, kLarge, k, kOffer);
  EXPECT_EQ(g_refused, "");
  say(kTag, kLarge, Allowance::kOffers + 1, kOffer);
  EXPECT_EQ(g_refused, "PE 0 sends more messages that nobody waits for than it may");
}

}  // namespace
}  // namespace weft::transport
