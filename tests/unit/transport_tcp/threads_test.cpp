// Two leaves in one process, and several threads of one of them that begin at once: what a sanitizer sees of it.
#include <atomic>
#include <thread>

#include "leaf.hpp"
#include "transport/allowance.hpp"
#include "transport/tagged.hpp"

namespace weft::transport::tcp {
namespace {

class ThreadsTest : public LeafTest {
 protected:
  static constexpr int kThreads = 4;
  static constexpr int kRounds = 200;
  // Some are offered, and some are not.
  static constexpr std::size_t kMessage = Allowance::largest(Allowance::of_each(kPes)) / 2;

  void SetUp() override {
    LeafTest::SetUp();
    setup.kinds = &kinds[0];
    start();
    ASSERT_TRUE(tagged[0].begin(*network, setup, kinds[0]));
    setup.me = 1;
    setup.kinds = &kinds[1];
    other = std::make_unique<Tcp>(setup);
    ASSERT_TRUE(tagged[1].begin(*other, setup, kinds[1]));
    ASSERT_TRUE(other->prepare());
    ASSERT_TRUE(other->open(boot::peer_card(job, 1)));
    const auto lent = other->lend({there, sizeof there});
    ASSERT_TRUE(lent);
    key_there = *lent;
  }
  void wait(const Pending& pending) {
    while (!pending.done()) {
      network->progress();
      tagged[0].go_on();
    }
  }
  void ask(int thread) {
    std::vector<std::byte> message(kMessage, std::byte{5});
    for (std::uint64_t round = 1; round <= kRounds; ++round) {
      Pending pending;
      std::uint64_t before = 0;
      const auto offset = static_cast<std::uint64_t>(64 * (thread + 1));
      network->put({1, key_there, offset}, &round, sizeof round, Source::kReusable, pending);
      network->atomic({1, key_there, 0}, {Op::kAdd, Type::k64, 1}, &before, pending);
      wait(pending);
      // Held back together with what other threads hold back there.
      for (std::uint64_t k = 0; k < 3; ++k) {
        network->atomic({1, key_there, 8}, {Op::kAdd, Type::k64, 1}, nullptr, pending);
        network->put({1, key_there, offset + 8 * (1 + k)}, &round, sizeof round, Source::kInARow, pending);
      }
      std::uint64_t back = 0;
      network->get(&back, {1, key_there, offset}, sizeof back, pending);
      if (round % 10 == 0) tagged[0].send(1, static_cast<Tag>(thread), message.data(), message.size(), pending);
      wait(pending);
      ASSERT_EQ(back, round);
    }
  }
  void serve(int thread) {
    std::vector<std::byte> message(kMessage);
    for (int k = 0; k < kRounds / 10; ++k) {
      Pending pending;
      tagged[1].receive(0, static_cast<Tag>(thread), message.data(), message.size(), pending);
      while (!pending.done()) {
        other->sleep(1);
        other->progress();
        tagged[1].go_on();
      }
    }
  }
  alignas(64) std::byte there[4096] = {};
  RegionKey key_there;
  Kinds kinds[2];
  Tagged tagged[2];
  std::unique_ptr<Tcp> other;
};

TEST_F(ThreadsTest, AllBeginAtOnce) {
  std::vector<std::thread> threads;
  std::atomic<bool> ends = false;
  for (int thread = 0; thread < kThreads; ++thread) {
    threads.emplace_back([this, thread] { ask(thread); });
    threads.emplace_back([this, thread] { serve(thread); });
  }
  std::thread progress([&] {
    while (!ends) {
      other->sleep(1);
      other->progress();
      tagged[1].go_on();
    }
  });
  for (std::thread& thread : threads) thread.join();
  ends = true;
  progress.join();
  std::uint64_t adds = 0;
  std::memcpy(&adds, there, sizeof adds);
  EXPECT_EQ(adds, static_cast<std::uint64_t>(kThreads) * kRounds);
  std::memcpy(&adds, there + 8, sizeof adds);
  EXPECT_EQ(adds, std::uint64_t{3} * kThreads * kRounds);
  for (int thread = 0; thread < kThreads; ++thread) {
    std::uint64_t last[3];
    std::memcpy(last, there + 64 * (thread + 1) + 8, sizeof last);
    for (const std::uint64_t value : last) EXPECT_EQ(value, std::uint64_t{kRounds});
  }
  EXPECT_EQ(g_told.failed + g_told.refused, "");
}

}  // namespace
}  // namespace weft::transport::tcp
