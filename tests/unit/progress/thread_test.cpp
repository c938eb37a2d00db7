// The thread without a network: it sleeps on a bell, and whoever rings has the pollers called.
#include <gtest/gtest.h>

#include <atomic>
#include <thread>

#include "os/process.hpp"
#include "progress/progress.hpp"
#include "progress/work.hpp"

namespace weft::progress {
namespace {

// What the poller takes, and how much it has taken.
std::atomic<int> g_there = 0;
std::atomic<int> g_taken = 0;

bool take() noexcept {
  const int came = g_there.exchange(0);
  g_taken += came;
  return came != 0;
}

class Thread : public testing::Test {
 protected:
  void SetUp() override {
    g_there = g_taken = 0;
    add_poller(poller_);
  }
  void TearDown() override { remove_poller(poller_); }

  Poller poller_{.what = take};
  sync::Doorbell bell_{};
  Progress progress_;
};

TEST_F(Thread, IsThereFromStartToStop) {
  std::thread([] {}).join();  // a sanitizer's own one comes with the first
  const int before = os::count_threads();
  for (int round = 0; round < 3; ++round) {
    ASSERT_TRUE(progress_.start(nullptr, bell_));
    EXPECT_EQ(os::count_threads(), before + 1);
    progress_.stop();
    // The kernel lists a thread a moment longer than join() waits for it; one that stays runs into the time limit.
    while (os::count_threads() != before) {
      std::this_thread::yield();
    }
  }
}

// A ring that is lost leaves both waiting for ever.
TEST_F(Thread, TakesWhatItIsRungFor) {
  ASSERT_TRUE(progress_.start(nullptr, bell_));
  for (int round = 1; round <= 5000; ++round) {
    (void)g_there.fetch_add(1);
    sync::ring(bell_);
    while (g_taken.load() != round) {
      std::this_thread::yield();
    }
  }
  progress_.stop();
}

TEST_F(Thread, TakesWhatWasThereBeforeIt) {
  g_there = 1;
  ASSERT_TRUE(progress_.start(nullptr, bell_));
  while (g_taken.load() == 0) {
    std::this_thread::yield();
  }
  progress_.stop();
}

TEST_F(Thread, RingsWhoSleepsForWhatItFinds) {
  sync::Doorbell waits{};
  waits.sleepers = 1;
  Bell bell{.what = &waits};
  add_bell(bell);
  ASSERT_TRUE(progress_.start(nullptr, bell_));
  (void)g_there.fetch_add(1);
  sync::ring(bell_);
  while (waits.rings.load() == 0) {
    std::this_thread::yield();
  }
  progress_.stop();
  remove_bell(bell);
  EXPECT_EQ(g_taken, 1);
}

}  // namespace
}  // namespace weft::progress
