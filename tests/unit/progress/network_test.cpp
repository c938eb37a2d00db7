// The thread with a network: who polls keeps it away, and who says so leaves the network to it at once.
#include <gtest/gtest.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <thread>
#include <vector>

#include "os/futex.hpp"
#include "progress/progress.hpp"
#include "progress/turn.hpp"
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
    const std::uint32_t woken = woken_;
    ++sleeps;
    os::futex_wait(woken_, woken, static_cast<std::uint64_t>(timeout_ms) * 1'000'000);
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

// Also where it lay down before, and was up again without a poll: what comes then is served, and no more is looked for.
TEST_F(WithNetwork, WhoGoesOnComputesAgain) {
  (void)take_over(Progress::While::kLiesDown);
  progress_.look_soon();
  const auto serve_one = [&] {
    const int before = network_.sleeps;
    network_.wake();
    while (network_.sleeps == before) {
      std::this_thread::yield();
    }
  };
  serve_one();  // the one that may have begun before
  const int looks = network_.looks;
  for (int round = 0; round < 20; ++round) {
    serve_one();
  }
  EXPECT_EQ(network_.looks, looks);
}

// What the thread does in place of its sleeps is what the PE does meanwhile. How long each was to be at most.
class WithTurn : public testing::Test {
 protected:
  template <class Meanwhile>
  std::vector<std::uint64_t> keep_away(Meanwhile&& meanwhile) {
    std::vector<std::uint64_t> looks;
    std::uint64_t seen = turn_.polls;
    (void)turn_.keep_away(&seen, [&](const std::atomic<std::uint32_t>& wanted, std::uint32_t value, std::uint64_t ns) {
      EXPECT_EQ(wanted, value) << "it would not sleep";
      meanwhile(looks.size());
      woken_.push_back(wanted != value);
      looks.push_back(ns);
    });
    return looks;
  }

  Turn turn_;
  std::vector<bool> woken_;
};

TEST_F(WithTurn, LooksMoreAndMoreSeldomWhileThePePolls) {
  EXPECT_EQ(keep_away([&](std::size_t look) {
              if (look < 5) {
                turn_.poll();
              }
            }),
            (std::vector<std::uint64_t>{500'000, 1'000'000, 2'000'000, 4'000'000, 4'000'000, 4'000'000}));
}

TEST_F(WithTurn, WhoMayPollAgainIsLookedForSoon) {
  EXPECT_EQ(keep_away([&](std::size_t look) {
              turn_.poll();
              if (look == 4) {
                turn_.look_soon();
              }
              if (look == 6) {
                turn_.ended = true;
              }
            }),
            (std::vector<std::uint64_t>{500'000, 1'000'000, 2'000'000, 4'000'000, 4'000'000, 100'000, 100'000}));
  EXPECT_EQ(woken_, (std::vector<bool>{false, false, false, false, true, false, false}));
}

// One that comes back again and again wakes nobody; behind one that does not any more the thread is to be woken again.
TEST_F(WithTurn, WhoPollsAgainAndAgainWakesItOnce) {
  EXPECT_EQ(
      keep_away([&](std::size_t look) {
        turn_.poll();
        if (look < 4 || look == 7) {
          turn_.look_soon();
        }
        if (look == 8) {
          turn_.ended = true;
        }
      }),
      (std::vector<std::uint64_t>{500'000, 100'000, 100'000, 100'000, 100'000, 100'000, 500'000, 1'000'000, 100'000}));
  EXPECT_EQ(woken_, (std::vector<bool>{true, false, false, false, false, false, false, true, false}));
}

}  // namespace
}  // namespace weft::progress
