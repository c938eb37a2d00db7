// Data, a fence and a flag leave together where the program is known for that, and nothing is late where it is not. Two
// leaves in one process: what was sent is there as soon as the other one goes on.
#include <thread>

#include "leaf.hpp"

namespace weft::transport::tcp {
namespace {

class Flags : public LeafTest {
 protected:
  void SetUp() override {
    LeafTest::SetUp();
    setup.me = 1;
    other = std::make_unique<Tcp>(setup);
    ASSERT_TRUE(other->prepare());
    ASSERT_TRUE(other->open(boot::peer_card(job, 1)));
    const auto lent = other->lend({there, sizeof there});
    ASSERT_TRUE(lent);
    key_there = *lent;
    put(0, 1);
    wait();
  }
  void put(std::size_t word, std::uint64_t value) {
    network->put({1, key_there, word * sizeof value}, &value, sizeof value, Source::kReusable, pending);
  }
  // More often than the operations of a test could take it.
  void other_goes_on() const {
    for (int looks = 0; looks < 20; ++looks) other->progress();
  }
  void wait() {
    while (!pending.done()) {
      network->progress();
      other->progress();
    }
  }
  bool has_come(std::size_t word, std::uint64_t value) const {
    return __atomic_load_n(reinterpret_cast<const std::uint64_t*>(there) + word, __ATOMIC_RELAXED) == value;
  }
  void row(std::uint64_t value) {
    put(0, value);
    network->fenced();
    put(1, value);
    wait();
    EXPECT_TRUE(has_come(0, value) && has_come(1, value));
  }
  void learn() {
    for (std::uint64_t round = 100; round < 104; ++round) row(round);
  }
  bool held(std::uint64_t value) {
    put(0, value);
    other_goes_on();
    return !has_come(0, value);
  }

  alignas(64) std::byte there[4096] = {};
  std::byte large[4097] = {};
  RegionKey key_there;
  std::unique_ptr<Tcp> other;
  Pending pending;
};

TEST_F(Flags, PutsLeaveAtOnceWithoutThem) {
  for (std::uint64_t round = 1; round < 10; ++round) {
    EXPECT_FALSE(held(round)) << round;
    if (round % 2 == 0) wait();
  }
}

TEST_F(Flags, ComeWithTheirData) {
  learn();
  ASSERT_TRUE(held(5));
  put(2, 6);  // more data
  network->fenced();
  other_goes_on();
  EXPECT_FALSE(has_come(0, 5));
  put(1, 7);
  other_goes_on();
  EXPECT_TRUE(has_come(0, 5) && has_come(2, 6) && has_come(1, 7));
  wait();
  ASSERT_TRUE(held(8));
  network->fenced();
  network->atomic({1, key_there, 8}, {Op::kAdd, Type::k64, 1}, nullptr, pending);
  other_goes_on();
  EXPECT_TRUE(has_come(0, 8) && has_come(1, 8));
  wait();
}

TEST_F(Flags, AreNotWaitedForWhereSomebodyWaits) {
  learn();
  ASSERT_TRUE(held(5));
  network->progress();
  other_goes_on();
  EXPECT_TRUE(has_come(0, 5));
  wait();
  EXPECT_TRUE(held(6)) << "the program has sent it itself";
  wait();
}

TEST_F(Flags, AreWaitedForByAsMuchAsIsCopiedFast) {
  learn();
  const std::vector<std::byte> much(4088, std::byte{9});
  network->put({1, key_there, 0}, much.data(), much.size(), Source::kReusable, pending);
  other_goes_on();
  EXPECT_FALSE(has_come(0, 0x0909090909090909));
  network->fenced();
  put(511, 3);
  other_goes_on();
  EXPECT_TRUE(has_come(0, 0x0909090909090909) && has_come(511, 3));
  wait();
  std::byte more[4097];
  std::memset(more, 8, sizeof more);
  const auto lent = other->lend({large, sizeof large});
  ASSERT_TRUE(lent);
  network->put({1, *lent, 0}, more, sizeof more, Source::kReusable, pending);
  other_goes_on();
  EXPECT_EQ(std::memcmp(large, more, sizeof more), 0);
  wait();
}

// A program that computes: the thread that serves others sends it, and next time it is not held back.
TEST_F(Flags, ThatDoNotComeAreNotExpectedForLong) {
  learn();
  ASSERT_TRUE(held(5));
  std::thread([&] { (void)network->sleep(1000); }).join();
  other_goes_on();
  EXPECT_TRUE(has_come(0, 5));
  wait();
  EXPECT_FALSE(held(6));
  wait();
  row(7);
  row(8);
  EXPECT_FALSE(held(9)) << "more rows are asked for than before";
  wait();
  row(10);
  row(11);
  EXPECT_TRUE(held(12));
  wait();
}

// Whoever went to sleep before anything was held back is not to be waited for.
TEST_F(Flags, AreNotWaitedForWhileSomebodySleepsLong) {
  std::thread sleeper([&] {
    while (!has_come(3, 1)) {
      if (network->sleep(10'000)) ::usleep(1000);
    }
  });
  ::usleep(20'000);
  learn();
  ::usleep(5'000);
  // Nobody calls progress() from here on; the sleeper is in its long sleep, or in a short one by now.
  for (std::uint64_t round = 1; round < 20; ++round) {
    put(0, round);
    for (int looks = 0; looks < 2000 && !has_come(0, round); ++looks) {
      other->progress();
      ::usleep(500);
    }
    ASSERT_TRUE(has_come(0, round)) << round;
  }
  put(3, 1);
  wait();
  put(0, 1);
  sleeper.join();
  wait();
}

TEST(FlagsExpectedTest, ThatCameBetweenARowsEndsAreForgiven) {
  FlagsExpected flags;
  std::uint32_t fences = 0;
  const auto rows = [&](int n) {
    for (int k = 0; k < n; ++k) {
      EXPECT_FALSE(flags.next(fences, true));
      EXPECT_TRUE(flags.next(++fences, true));
    }
  };
  rows(1);
  EXPECT_FALSE(flags.expected());
  rows(1);
  EXPECT_TRUE(flags.expected());
  flags.were_wrong();
  rows(3);
  EXPECT_FALSE(flags.expected());
  rows(1);
  EXPECT_TRUE(flags.expected());
  rows(64);  // as good as never wrong
  flags.were_wrong();
  rows(4);
  EXPECT_TRUE(flags.expected());
  // Every operation behind a fence of its own: none of them is data.
  FlagsExpected ordered;
  for (std::uint32_t k = 1; k < 100; ++k) EXPECT_TRUE(ordered.next(k, true));
  EXPECT_FALSE(ordered.expected());
}

}  // namespace
}  // namespace weft::transport::tcp
