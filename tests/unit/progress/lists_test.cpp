// Lists that some add to and take from while others go through them.
#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <memory>
#include <thread>

#include "progress/work.hpp"

namespace weft::progress {
namespace {

std::array<std::atomic<int>, 3> g_calls{};
std::atomic<bool> g_inside = false;
std::atomic<bool> g_leave = false;

template <int number>
bool count() noexcept {
  ++g_calls[number];
  return number == 1;
}

TEST(Lists, CallWhatIsThereAndNothingElse) {
  Poller first{.what = count<0>};
  Poller second{.what = count<1>};
  g_calls[0] = g_calls[1] = 0;
  EXPECT_FALSE(poll_all());
  add_poller(first);
  add_poller(first);
  EXPECT_FALSE(poll_all()) << "it has found nothing";
  add_poller(second);
  EXPECT_TRUE(poll_all());
  remove_poller(first);
  remove_poller(first);
  EXPECT_TRUE(poll_all());
  EXPECT_EQ(g_calls[0], 2);
  EXPECT_EQ(g_calls[1], 2);
  remove_poller(second);
  EXPECT_FALSE(poll_all());
  EXPECT_EQ(g_calls[1], 2);
}

TEST(Lists, WorkIsLeftWhereAnyHasSome) {
  IdleWork none{.what = count<0>};
  IdleWork some{.what = count<1>};
  add_idle_work(some);
  add_idle_work(none);
  EXPECT_TRUE(do_idle_work());
  remove_idle_work(some);
  EXPECT_FALSE(do_idle_work());
  remove_idle_work(none);
}

TEST(Lists, RingOnlyWhereSomebodySleeps) {
  sync::Doorbell asleep{};
  sync::Doorbell quiet{};
  asleep.sleepers = 1;
  Bell first{.what = &asleep};
  Bell second{.what = &quiet};
  add_bell(first);
  add_bell(second);
  ring_all();
  remove_bell(first);
  ring_all();
  remove_bell(second);
  EXPECT_EQ(asleep.rings, 1U);
  EXPECT_EQ(quiet.rings, 0U);
}

bool stay() noexcept {
  g_inside = true;
  while (!g_leave) {
    std::this_thread::yield();
  }
  g_inside = false;
  return false;
}

// If it did not wait it would almost always be back long before the other thread leaves.
TEST(Lists, RemoveReturnsWhenNobodyIsInsideAnyMore) {
  Poller poller{.what = stay};
  add_poller(poller);
  std::thread polls([] { (void)poll_all(); });
  while (!g_inside) {
    std::this_thread::yield();
  }
  std::thread leaves([] {
    for (int k = 0; k < 1000; ++k) {
      std::this_thread::yield();
    }
    g_leave = true;
  });
  remove_poller(poller);
  EXPECT_FALSE(g_inside) << "it was taken away under somebody's feet";
  polls.join();
  leaves.join();
}

// Each entry dies when it is removed: a list that still led there would show it (asan, tsan).
TEST(Lists, ChangeWhileOthersGoThroughThem) {
  std::atomic<bool> done = false;
  std::thread polls([&] {
    while (!done) {
      (void)poll_all();
    }
  });
  Poller stays{.what = count<2>};
  add_poller(stays);
  for (int k = 0; k < 2000; ++k) {
    auto first = std::make_unique<Poller>();
    auto second = std::make_unique<Poller>();
    first->what = second->what = count<0>;
    add_poller(*first);
    add_poller(*second);
    remove_poller(*first);
    first.reset();
    remove_poller(*second);
  }
  done = true;
  polls.join();
  g_calls[0] = g_calls[2] = 0;
  (void)poll_all();
  remove_poller(stays);
  EXPECT_EQ(g_calls[0], 0);
  EXPECT_EQ(g_calls[2], 1) << "what was not taken away is there";
}

}  // namespace
}  // namespace weft::progress
