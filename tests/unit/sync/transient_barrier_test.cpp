// Threads play the PEs, and TSan sees races. The words are zero before and after, as a pSync array has to be.
#include "sync/transient_barrier.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <ostream>
#include <thread>
#include <vector>

namespace weft::sync {
namespace {

struct Lines {
  TransientFlags flags;
  Doorbell bell;
};

struct Case {
  int members;
  BarrierKind kind;
  long spins;
  long sleep_after_us;
  int rounds;
};

// Else GoogleTest prints the bytes, padding included, and the name of the test in ctest differs from run to run.
void PrintTo(const Case& c, std::ostream* out) { *out << c.members << " members, " << c.rounds << " rounds"; }

class TransientBarrierTest : public testing::TestWithParam<Case> {};

TEST_P(TransientBarrierTest, WhatCameBeforeIsVisibleAfterAndTheWordsAreZeroAgain) {
  const Case c = GetParam();
  const auto n = static_cast<std::size_t>(c.members);
  const std::unique_ptr<Lines[]> lines(new Lines[n]());
  std::vector<int> cell(n, -1);
  std::atomic<int> wrong{0};
  std::vector<std::thread> members;
  for (int me = 0; me < c.members; ++me) {
    members.emplace_back([&, me] {
      const TransientBarrier::Shared shared{reinterpret_cast<std::byte*>(&lines[0].flags), sizeof(Lines),
                                            reinterpret_cast<std::byte*>(&lines[0].bell), sizeof(Lines)};
      const Patience patience = patience_for(c.members, 2, c.spins, c.sleep_after_us);
      for (int round = 0; round < c.rounds; ++round) {
        // A fresh object for each call, as each collective call makes one.
        cell[static_cast<std::size_t>(me)] = round;
        TransientBarrier(shared, me, c.members, c.kind).arrive_and_wait(patience, {});
        for (const int value : cell) {
          wrong += value != round ? 1 : 0;
        }
        TransientBarrier(shared, me, c.members, c.kind).arrive_and_wait(patience, {});
        cell[static_cast<std::size_t>(me)] = -round;
        // Member 0 says what it sees of the last one.
        const std::uint32_t said = TransientBarrier(shared, me, c.members, c.kind).arrive_and_hear(patience, {}, [&] {
          return static_cast<std::uint32_t>(-cell.back());
        });
        wrong += said != static_cast<std::uint32_t>(round) ? 1 : 0;
        for (const int value : cell) {
          wrong += value != -round ? 1 : 0;
        }
        TransientBarrier(shared, me, c.members, c.kind).arrive_and_wait(patience, {});
      }
    });
  }
  for (auto& member : members) {
    member.join();
  }
  EXPECT_EQ(wrong.load(), 0);
  for (std::size_t member = 0; member < n; ++member) {
    const auto* bytes = reinterpret_cast<const unsigned char*>(&lines[member].flags);
    EXPECT_TRUE(std::all_of(bytes, bytes + sizeof(TransientFlags), [](unsigned char b) { return b == 0; })) << member;
  }
}

INSTANTIATE_TEST_SUITE_P(
    Both, TransientBarrierTest,
    testing::Values(Case{1, BarrierKind::kDissemination, -1, -1, 50},
                    Case{2, BarrierKind::kDissemination, -1, -1, 2000},
                    Case{3, BarrierKind::kDissemination, 2, -1, 500}, Case{7, BarrierKind::kDissemination, 2, -1, 200},
                    Case{2, BarrierKind::kGate, -1, -1, 1000}, Case{8, BarrierKind::kGate, -1, -1, 200},
                    // sleep at once: every wait goes through the futex
                    Case{5, BarrierKind::kDissemination, 0, 0, 50}, Case{5, BarrierKind::kGate, 0, 0, 50}),
    [](const auto& instance) {
      const Case& c = instance.param;
      return std::to_string(c.members) + (c.kind == BarrierKind::kGate ? "gate" : "rounds") +
             (c.sleep_after_us == 0 ? "asleep" : "") + "x" + std::to_string(c.rounds);
    });

}  // namespace
}  // namespace weft::sync
