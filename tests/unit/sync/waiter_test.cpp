#include "sync/waiter.hpp"

#include <gtest/gtest.h>

#include <thread>

namespace weft::sync {
namespace {

struct Scene {
  Doorbell bell{};
  std::atomic<std::uint32_t> all_sleepers{0};
  std::atomic<int> value{0};
  // Waits that were written down, and how many of these are over.
  mutable std::atomic<int> begun{0};
  mutable std::atomic<int> ended{0};
  mutable std::atomic<int> looks{0};

  WaitNote note() const {
    static constexpr WaitNote::Writer kWriter = {
        [](const void* scene, std::uint64_t /*detail*/) noexcept {
          static_cast<const Scene*>(scene)->begun.fetch_add(1);
          g_noted = static_cast<const Scene*>(scene);
          return 7;
        },
        [](int place) noexcept { g_noted->looks.fetch_add(place == 7 ? 1 : 1000); },
        [](int place) noexcept { g_noted->ended.fetch_add(place == 7 ? 1 : 1000); }};
    return {kWriter, this};
  }
  static thread_local const Scene* g_noted;
};
thread_local const Scene* Scene::g_noted = nullptr;

TEST(Waiter, ReturnsAtOnceWhenItIsDone) {
  Scene scene;
  wait(patience_for(2, 2), scene.bell, &scene.all_sleepers, scene.note(), [] { return true; });
  EXPECT_EQ(scene.begun.load(), 0) << "a wait that does not wait writes nothing down";
}

TEST(Waiter, SleepsUntilTheBellRings) {
  Scene scene;
  Patience patience = patience_for(2, 2, 0, 0);
  patience.shortest_nap_ns = patience.longest_nap_ns = 3'600'000'000'000;  // only the bell can end it
  std::thread sleeper([&] {
    wait(patience, scene.bell, &scene.all_sleepers, scene.note(),
         [&] { return scene.value.load(std::memory_order_acquire) == 1; });
  });
  while (scene.bell.sleepers.load() == 0) {
    std::this_thread::yield();
  }
  EXPECT_EQ(scene.all_sleepers.load(), 1U);
  EXPECT_EQ(scene.begun.load(), 1);
  EXPECT_EQ(scene.ended.load(), 0);
  scene.value.store(1, std::memory_order_seq_cst);
  std::atomic_thread_fence(std::memory_order_seq_cst);
  ring(scene.bell);
  sleeper.join();
  EXPECT_EQ(scene.bell.sleepers.load(), 0U);
  EXPECT_EQ(scene.all_sleepers.load(), 0U);
  EXPECT_EQ(scene.begun.load(), 1);
  EXPECT_EQ(scene.ended.load(), 1);
}

// Each time the waiter has found that it has to wait on: who reads that twice knows that it has looked meanwhile.
TEST(Waiter, SaysThatItHasLookedInVain) {
  Scene scene;
  Patience patience = patience_for(2, 2, 0, 0);
  patience.shortest_nap_ns = patience.longest_nap_ns = 100'000;
  std::atomic<int> false_looks{0};
  std::thread waiter([&] {
    wait(patience, scene.bell, nullptr, scene.note(), [&] {
      const bool done = scene.value.load(std::memory_order_acquire) == 1;
      false_looks.fetch_add(done ? 0 : 1);
      return done;
    });
  });
  while (scene.looks.load() < 3) {
    std::this_thread::yield();
  }
  EXPECT_GE(false_looks.load(), scene.looks.load());
  scene.value.store(1, std::memory_order_release);
  waiter.join();
  EXPECT_LT(scene.looks.load(), 1000) << "of the place that begin() gave";
}

// A ringer that stores, fences and looks, and a sleeper that announces itself, fences and looks, never miss each
// other. With naps of an hour one miss would end this test by its time limit.
TEST(Waiter, MissesNoRing) {
  Scene scene;
  constexpr int kRounds = 3000;
  Patience patience = patience_for(2, 2, 0, 0);
  patience.shortest_nap_ns = patience.longest_nap_ns = 3'600'000'000'000;
  std::atomic<int> seen{0};
  std::thread sleeper([&] {
    for (int round = 1; round <= kRounds; ++round) {
      wait(patience, scene.bell, nullptr, {}, [&] { return scene.value.load(std::memory_order_acquire) >= round; });
      seen.store(round, std::memory_order_release);
    }
  });
  for (int round = 1; round <= kRounds; ++round) {
    scene.value.store(round, std::memory_order_release);
    std::atomic_thread_fence(std::memory_order_seq_cst);
    ring(scene.bell);
    while (seen.load(std::memory_order_acquire) < round) {
      std::this_thread::yield();
    }
  }
  sleeper.join();
}

// A plain store by a peer rings nothing: the next nap's end finds it.
TEST(Waiter, SeesAStoreThatNobodyAnnounced) {
  Scene scene;
  std::thread sleeper([&] {
    wait(patience_for(2, 2, 0, 0), scene.bell, nullptr, {},
         [&] { return scene.value.load(std::memory_order_acquire) == 1; });
  });
  while (scene.bell.sleepers.load() == 0) {
    std::this_thread::yield();
  }
  scene.value.store(1, std::memory_order_release);
  sleeper.join();
}

TEST(Waiter, NapsGrowWithTheWaitWithinTheirBounds) {
  const Patience patience = patience_for(2, 2);
  EXPECT_EQ(detail::nap_ns(patience, 0, false), patience.shortest_nap_ns);
  EXPECT_EQ(detail::nap_ns(patience, 16'000'000, false), 2'000'000U);
  EXPECT_EQ(detail::nap_ns(patience, 10'000'000'000, false), patience.longest_nap_ns);
}

// The waiter itself does what makes its wait end, as a member of a non-blocking collective may have to. No bell rings
// and naps are endless, so only short naps with work in between get there.
std::atomic<int> g_work_left{0};
TEST(Waiter, WorksWhileItWaits) {
  Scene scene;
  Patience patience = patience_for(2, 2, 0, 0);
  patience.shortest_nap_ns = patience.longest_nap_ns = 3'600'000'000'000;
  g_work_left = 20;
  patience.idle = []() noexcept { return g_work_left.load() > 0 && g_work_left.fetch_sub(1) > 0; };
  wait(patience, scene.bell, nullptr, {}, [] { return g_work_left.load() == 0; });
  EXPECT_EQ(g_work_left.load(), 0);
}

// Who is woken by what the network has brought, though not by what it waits for, polls again before it lies down.
std::atomic<int> g_polls{0};
std::atomic<int> g_naps{0};
TEST(Waiter, PollsAgainAfterItWasWoken) {
  Scene scene;
  Patience patience = patience_for(2, 2, 0, 2000);
  patience.shortest_nap_ns = patience.longest_nap_ns = 3'600'000'000'000;
  g_polls = 0;
  g_naps = 0;
  patience.poll = []() noexcept { g_polls.fetch_add(1); };
  patience.lie_down = []() noexcept { g_naps.fetch_add(1); };
  std::thread sleeper([&] {
    wait(patience, scene.bell, nullptr, {}, [&] { return scene.value.load(std::memory_order_acquire) == 1; });
  });
  while (g_naps.load() < 1) {
    std::this_thread::yield();
  }
  const int before = g_polls.load();
  while (g_naps.load() < 2) {
    ring(scene.bell);
    std::this_thread::yield();
  }
  EXPECT_GE(g_polls.load(), before + 16) << "it lay down again at once";
  scene.value.store(1, std::memory_order_release);
  while (scene.bell.sleepers.load() != 0) {
    ring(scene.bell);
    std::this_thread::yield();
  }
  sleeper.join();
}

TEST(Waiter, SpinsLessWhenPesAreManyAndDoesAsItIsTold) {
  EXPECT_GT(patience_for(2, 2).spins, patience_for(3, 2).spins);
  EXPECT_EQ(patience_for(3, 2, 77, 5).spins, 77U);
  EXPECT_EQ(patience_for(3, 2, 77, 5).sleep_after_ns, 5000U);
}

}  // namespace
}  // namespace weft::sync
