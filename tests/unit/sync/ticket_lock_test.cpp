#include "sync/ticket_lock.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <thread>
#include <vector>

namespace weft::sync {
namespace {

alignas(8) std::uint64_t g_word;
std::atomic<std::uint32_t> g_sleepers{0};

class TicketLockTest : public testing::Test {
 protected:
  void SetUp() override { g_word = 0; }
};

void count_under_lock(int threads, int rounds, const Patience& patience) {
  long counter = 0;  // plain: the lock is all that protects it
  std::vector<std::thread> crowd;
  for (int t = 0; t < threads; ++t) {
    crowd.emplace_back([&] {
      TicketLock lock(&g_word, g_sleepers);
      for (int k = 0; k < rounds; ++k) {
        lock.lock(patience, {});
        ++counter;
        lock.unlock();
      }
    });
  }
  for (auto& thread : crowd) {
    thread.join();
  }
  EXPECT_EQ(counter, static_cast<long>(threads) * rounds);
  EXPECT_EQ(g_sleepers.load(), 0U);
  EXPECT_FALSE(TicketLock(&g_word, g_sleepers).held());
}

TEST_F(TicketLockTest, ExcludesTwo) { count_under_lock(2, 20000, patience_for(2, 2)); }
TEST_F(TicketLockTest, ExcludesACrowd) { count_under_lock(8, 500, patience_for(8, 2)); }
TEST_F(TicketLockTest, ExcludesSleepers) { count_under_lock(5, 200, patience_for(5, 2, 0, 0)); }

TEST_F(TicketLockTest, TryLockTakesOnlyAFreeLock) {
  TicketLock lock(&g_word, g_sleepers);
  EXPECT_TRUE(lock.try_lock());
  EXPECT_TRUE(lock.held());
  EXPECT_FALSE(lock.try_lock());
  lock.unlock();
  EXPECT_TRUE(lock.try_lock());
  lock.unlock();
  EXPECT_FALSE(lock.held());
}

// Each waiter takes its ticket before the next one starts, so the order of arrival is known.
TEST_F(TicketLockTest, GrantsInOrderOfArrival) {
  constexpr int kWaiters = 9;
  TicketLock lock(&g_word, g_sleepers);
  lock.lock({}, {});
  std::vector<int> order;
  std::vector<std::thread> waiters;
  for (int t = 0; t < kWaiters; ++t) {
    waiters.emplace_back([&, t] {
      TicketLock mine(&g_word, g_sleepers);
      mine.lock(patience_for(kWaiters, 2, 0, t % 2 == 0 ? 0 : 500), {});
      order.push_back(t);
      mine.unlock();
    });
    // The high half counts the tickets given out.
    while (__atomic_load_n(&g_word, __ATOMIC_RELAXED) >> 32 != static_cast<std::uint64_t>(t) + 2) {
      std::this_thread::yield();
    }
  }
  lock.unlock();
  for (auto& waiter : waiters) {
    waiter.join();
  }
  for (int t = 0; t < kWaiters; ++t) {
    EXPECT_EQ(order[static_cast<std::size_t>(t)], t);
  }
}

TEST_F(TicketLockTest, GoesOnWhenTicketsWrap) {
  g_word = 0xffffffffffffffffULL;  // 2^32 - 1 tickets given out and served
  count_under_lock(3, 300, patience_for(3, 2));
}

// The small lock, from just before its halves wrap: 16 bits each, tickets above, served below.
TEST_F(TicketLockTest, SmallLockWraps) {
  constexpr int kThreads = 4;
  constexpr int kRounds = 300;
  alignas(4) std::uint32_t words[3] = {0x11111111, 0xFFF0FFF0, 0x22222222};
  long counter = 0;
  std::vector<std::thread> crowd;
  for (int t = 0; t < kThreads; ++t) {
    crowd.emplace_back([&, t] {
      SmallTicketLock lock(&words[1], g_sleepers);
      for (int k = 0; k < kRounds; ++k) {
        lock.lock(patience_for(kThreads, 2, t % 2 == 0 ? -1 : 0, t % 2 == 0 ? -1 : 0), {});
        ++counter;
        lock.unlock();
      }
    });
  }
  for (auto& thread : crowd) {
    thread.join();
  }
  EXPECT_EQ(counter, static_cast<long>(kThreads) * kRounds);
  EXPECT_FALSE(SmallTicketLock(&words[1], g_sleepers).held());
  constexpr std::uint32_t kServed = (0xFFF0 + kThreads * kRounds) & 0xFFFF;
  EXPECT_EQ(words[1], kServed << 16 | kServed);
  EXPECT_EQ(words[0], 0x11111111U) << "its neighbours are other locks";
  EXPECT_EQ(words[2], 0x22222222U);
}

TEST_F(TicketLockTest, SmallTryLockTakesOnlyAFreeLock) {
  std::uint32_t word = 0xFFFFFFFF;
  SmallTicketLock lock(&word, g_sleepers);
  EXPECT_TRUE(lock.try_lock());
  EXPECT_FALSE(lock.try_lock());
  EXPECT_TRUE(lock.held());
  lock.unlock();
  EXPECT_EQ(word, 0U);
}

}  // namespace
}  // namespace weft::sync
