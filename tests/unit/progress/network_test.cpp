// The thread with a network: who polls keeps it away, and who says so leaves the network to it at once.
#include <gtest/gtest.h>

#include <atomic>
#include <mutex>
#include <thread>

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
    os::futex_wait(never_, 0, static_cast<std::uint64_t>(timeout_ms) * 1'000'000);
    return false;
  }

  std::atomic<int> looks = 0;
  std::atomic<int> sleeps = 0;

 private:
  std::atomic<std::uint32_t> never_ = 0;
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

}  // namespace
}  // namespace weft::progress
