// The thread with a network: who polls keeps it away, and who says so leaves the network to it at once.
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <mutex>
#include <thread>

#include "os/clock.hpp"
#include "os/futex.hpp"
#include "progress/progress.hpp"
#include "tests/pretend/still.hpp"

namespace weft::progress {
namespace {

// Nothing ever comes. It counts who looks and who sleeps.
class CountedNetwork final : public pretend::Still {
 public:
  bool sleep(int timeout_ms) noexcept override {
    if (timeout_ms == 0) {
      ++looks;
      return false;
    }
    ++sleeps;
    os::futex_wait(woken_, woken_, static_cast<std::uint64_t>(timeout_ms) * 1'000'000);
    return false;
  }
  void wake() {
    ++woken_;
    os::futex_wake_all(woken_);
  }

  std::atomic<int> looks = 0;
  std::atomic<int> sleeps = 0;

 private:
  std::atomic<std::uint32_t> woken_ = 0;
};

class WithNetwork : public testing::Test {
 protected:
  void SetUp() override { ASSERT_TRUE(progress_.start(&network_, bell_)); }
  void TearDown() override { progress_.stop(); }

  // Until the thread has taken over; how often it has looked in vain by then.
  int take_over(Progress::While what) {
    progress_.polled();  // who has slept keeps away again
    const int before = network_.sleeps;
    const int looks = network_.looks;
    while (network_.sleeps == before) {
      progress_.take_over(what);
      std::this_thread::yield();
    }
    return network_.looks - looks;
  }

  CountedNetwork network_;
  sync::Doorbell bell_{};
  Progress progress_;
};

TEST_F(WithNetwork, WhoLiesDownHasTheThreadLookForAWhile) { EXPECT_GT(take_over(Progress::While::kLiesDown), 0); }

// Else it would look on the processor that the program needs, and be put behind it for that.
TEST_F(WithNetwork, WhoComputesHasItSleepAtOnce) {
  for (int round = 0; round < 20; ++round) {
    EXPECT_EQ(take_over(Progress::While::kComputes), 0);
  }
}

// Where nobody has said that it looks half a millisecond later at the soonest. A round may take longer as others have
// the processor, so one that does not is enough.
TEST_F(WithNetwork, WhoMayPollAgainIsLookedForSoon) {
  constexpr std::uint64_t kShortestLookNs = 500'000;
  constexpr int kRounds = 2000;
  std::uint64_t best = UINT64_MAX;
  for (int round = 0; round < kRounds && best >= kShortestLookNs; ++round) {
    progress_.polled();
    const int before = network_.sleeps;
    const std::uint64_t since = os::now_ns();
    progress_.look_soon();
    network_.wake();
    while (network_.sleeps == before) {
      std::this_thread::yield();
    }
    best = std::min(best, os::now_ns() - since);
  }
  EXPECT_LT(best, kShortestLookNs);
}

}  // namespace
}  // namespace weft::progress
