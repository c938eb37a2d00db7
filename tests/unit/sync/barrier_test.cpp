// Threads play the PEs: the structures and the code are those that processes share, and TSan sees races.
#include "sync/barrier.hpp"

#include <gtest/gtest.h>

#include <memory>
#include <numeric>
#include <ostream>
#include <thread>
#include <vector>

namespace weft::sync {
namespace {

struct PeLines {
  BarrierFlags flags;
  Doorbell bell;
};

struct World {
  explicit World(int n) : lines(new PeLines[static_cast<std::size_t>(n)]()) {}
  BarrierShared shared() {
    return {&gate, reinterpret_cast<std::byte*>(&lines[0].flags), reinterpret_cast<std::byte*>(&lines[0].bell),
            sizeof(PeLines)};
  }
  BarrierGate gate{};
  std::unique_ptr<PeLines[]> lines;
};

struct Case {
  int n_pes;
  bool crowded;
  long spins;
  long sleep_after_us;
  int rounds;
};

// Else GoogleTest prints the bytes, padding included, and the name of the test in ctest differs from run to run.
void PrintTo(const Case& c, std::ostream* out) { *out << c.n_pes << " PEs, " << c.rounds << " rounds"; }

class BarrierTest : public testing::TestWithParam<Case> {};

// Plain, unsynchronised data: each PE writes its own cell before a barrier and reads everybody's after it. A barrier
// that lets one through early gives a wrong value, and a missing order is a race for TSan.
TEST_P(BarrierTest, WhatCameBeforeIsVisibleAfter) {
  const Case c = GetParam();
  World world(c.n_pes);
  std::vector<int> cell(static_cast<std::size_t>(c.n_pes), -1);
  std::atomic<int> wrong{0};
  std::vector<std::thread> pes;
  for (int me = 0; me < c.n_pes; ++me) {
    pes.emplace_back([&, me] {
      Barrier barrier(world.shared(), me, c.n_pes, c.crowded ? BarrierKind::kGate : BarrierKind::kDissemination);
      const Patience patience = patience_for(c.n_pes, 2, c.spins, c.sleep_after_us);
      for (int round = 0; round < c.rounds; ++round) {
        cell[static_cast<std::size_t>(me)] = round;
        barrier.arrive();
        barrier.wait(patience, {});
        for (const int value : cell) {
          wrong += value != round ? 1 : 0;
        }
        barrier.arrive();
        barrier.wait(patience, {});
      }
    });
  }
  for (auto& pe : pes) {
    pe.join();
  }
  EXPECT_EQ(wrong.load(), 0);
}

// Member 0 finds what all have done before, and all find what it has made of that. Other barriers come in between.
TEST_P(BarrierTest, APartOfMemberZerosIsBehindAllAndBeforeAll) {
  const Case c = GetParam();
  World world(c.n_pes);
  std::vector<int> cell(static_cast<std::size_t>(c.n_pes), -1);
  int sum = -1;
  std::atomic<int> wrong{0};
  std::vector<std::thread> pes;
  for (int me = 0; me < c.n_pes; ++me) {
    pes.emplace_back([&, me] {
      Barrier barrier(world.shared(), me, c.n_pes, c.crowded ? BarrierKind::kGate : BarrierKind::kDissemination);
      const Patience patience = patience_for(c.n_pes, 2, c.spins, c.sleep_after_us);
      for (int round = 0; round < c.rounds; ++round) {
        cell[static_cast<std::size_t>(me)] = round;
        const auto part = [&] { sum = std::accumulate(cell.begin(), cell.end(), 0); };
        barrier.meet_around(
            patience, {}, [] {}, part);
        wrong += sum != c.n_pes * round ? 1 : 0;
        if (round % 3 == 0) {
          barrier.arrive();
          barrier.wait(patience, {});
        }
      }
    });
  }
  for (auto& pe : pes) {
    pe.join();
  }
  EXPECT_EQ(wrong.load(), 0);
}

INSTANTIATE_TEST_SUITE_P(Both, BarrierTest,
                         testing::Values(Case{1, false, -1, -1, 50}, Case{2, false, -1, -1, 2000},
                                         Case{3, false, 2, -1, 500}, Case{7, false, 2, -1, 200},
                                         Case{2, true, -1, -1, 1000}, Case{8, true, -1, -1, 200},
                                         Case{16, true, -1, -1, 50},
                                         // sleep at once: every wait goes through the futex
                                         Case{2, false, 0, 0, 200}, Case{5, false, 0, 0, 50}, Case{5, true, 0, 0, 50}),
                         [](const auto& instance) {
                           const Case& c = instance.param;
                           return std::to_string(c.n_pes) + (c.crowded ? "gate" : "rounds") +
                                  (c.sleep_after_us == 0 ? "asleep" : "") + "x" + std::to_string(c.rounds);
                         });

// The words of a slot keep what its earlier teams have left in them, which differs from PE to PE.
TEST(Barrier, BeginsAfterWhatEarlierTeamsLeft) {
  World world(3);
  const auto flags = [&](std::size_t pe) -> BarrierFlags& { return world.lines[pe].flags; };
  flags(0).round[0].episode = 7;
  flags(1).round[1].episode = 41;
  flags(2).round[0].episode = 40;
  world.gate.episode = 12;
  for (const BarrierKind kind : {BarrierKind::kDissemination, BarrierKind::kGate}) {
    std::atomic<int> inside{0};
    std::atomic<int> early{0};
    std::vector<std::thread> members;
    for (int me = 0; me < 3; ++me) {
      members.emplace_back([&, me] {
        Barrier barrier(world.shared(), me, 3, kind, 41);
        inside.fetch_add(1);
        barrier.arrive();
        barrier.wait(patience_for(3, 2), {});
        early += inside.load() < 3 ? 1 : 0;
      });
    }
    for (auto& member : members) {
      member.join();
    }
    EXPECT_EQ(early.load(), 0);
  }
  EXPECT_EQ(flags(0).round[0].episode.load(), 42U);
  EXPECT_EQ(world.gate.episode.load(), 42U);
}

}  // namespace
}  // namespace weft::sync
