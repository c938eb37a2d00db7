#include "transport/pending.hpp"

#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <thread>
#include <vector>

namespace weft::transport {
namespace {

bool eventually(Pending::Earlier& earlier) {
  bool done = false;
  for (int look = 0; look < 3 && !done; ++look) done = earlier.done();
  return done;
}

TEST(Pending, CountsWhatIsUnderWay) {
  Pending pending;
  EXPECT_TRUE(pending.done());
  Pending::Count* const first = pending.begin();
  Pending::Count* const second = pending.begin();
  first->end();
  EXPECT_FALSE(pending.done());
  second->end();
  EXPECT_TRUE(pending.done());
}

TEST(Pending, NoneBeganEarlier) {
  Pending pending;
  Pending::Earlier earlier(pending);
  Pending::Count* const later = pending.begin();
  // It may have to be counted among the earlier ones, but not for long.
  later->end();
  EXPECT_TRUE(eventually(earlier));
}

TEST(Pending, OthersMayGoOnForEver) {
  Pending pending;
  Pending::Count* const mine = pending.begin();
  Pending::Earlier earlier(pending);
  Pending::Count* other = pending.begin();
  const auto goes_on = [&] {  // there is always one of the others' under way
    Pending::Count* const next = pending.begin();
    other->end();
    other = next;
  };
  for (int k = 0; k < 100; ++k) {
    goes_on();
    ASSERT_FALSE(earlier.done());
  }
  mine->end();
  bool done = false;
  for (int k = 0; k < 10 && !done; ++k) {
    goes_on();
    done = earlier.done();
  }
  EXPECT_TRUE(done);
  EXPECT_FALSE(pending.done());
  other->end();
  EXPECT_TRUE(pending.done());
}

TEST(Pending, SeveralWaitAtATime) {
  Pending pending;
  Pending::Count* const first = pending.begin();
  Pending::Earlier of_first(pending);
  EXPECT_FALSE(of_first.done());
  Pending::Count* const second = pending.begin();
  Pending::Earlier of_both(pending);
  EXPECT_FALSE(of_both.done());
  first->end();
  EXPECT_FALSE(of_both.done());
  EXPECT_TRUE(eventually(of_first));
  Pending::Count* const third = pending.begin();
  Pending::Earlier of_three(pending);
  second->end();
  EXPECT_TRUE(eventually(of_both));
  EXPECT_TRUE(eventually(of_first));
  EXPECT_FALSE(eventually(of_three));
  third->end();
  EXPECT_TRUE(eventually(of_three));
}

// Each thread begins operations and waits for those that it has begun, while all others do the same; another thread
// completes them, late and in no order.
TEST(Pending, ThreadsThatWaitForTheirOwn) {
  constexpr int kThreads = 4;
  constexpr int kRounds = 500;
  constexpr int kAtATime = 3;
  struct Slot {
    std::atomic<Pending::Count*> count{nullptr};
    bool complete = false;  // written by who completes it: ordered by the counts alone
  };
  Pending pending;
  std::array<std::array<Slot, kAtATime>, kThreads> slots;
  std::atomic<int> working{kThreads};
  std::atomic<int> early{0};
  std::vector<std::thread> threads;
  threads.reserve(kThreads);
  for (auto& mine : slots) {
    threads.emplace_back([&] {
      for (int round = 0; round < kRounds; ++round) {
        for (Slot& slot : mine) {
          slot.complete = false;
          slot.count.store(pending.begin(), std::memory_order_release);
        }
        Pending::Earlier earlier(pending);
        while (!earlier.done()) std::this_thread::yield();
        for (const Slot& slot : mine) early += slot.complete ? 0 : 1;
      }
      --working;
    });
  }
  std::thread network([&] {
    for (unsigned look = 1; working.load() > 0; ++look) {
      for (auto& theirs : slots) {
        for (Slot& slot : theirs) {
          if ((look = look * 1664525 + 1013904223) % 4 == 0) continue;
          Pending::Count* const count = slot.count.exchange(nullptr, std::memory_order_acquire);
          if (count == nullptr) continue;
          slot.complete = true;
          count->end();
        }
      }
      std::this_thread::yield();
    }
  });
  for (std::thread& thread : threads) thread.join();
  network.join();
  EXPECT_EQ(early.load(), 0);
  EXPECT_TRUE(pending.done());
}

}  // namespace
}  // namespace weft::transport
