#include "dsm/heartbeat.hpp"

#include <gtest/gtest.h>

#include <thread>
#include <utility>

#include "dsm/notes.hpp"
#include "dsm/waits.hpp"
#include "job/node.hpp"

namespace weft::dsm {
namespace {

constexpr std::uint64_t kMs = 1'000'000;

TEST(Heartbeat, ComesSoonWhereThereIsLittleToDo) {
  EXPECT_EQ(beat_behind(0, true), 3 * kMs);
  EXPECT_EQ(beat_behind(0, false), kMs);
  EXPECT_EQ(beat_behind(20'000, false), kMs);
}

// A thirty-third part of its time at most, as long as that is less than a tenth of a second.
TEST(Heartbeat, RestsFromWhatItHasDone) {
  EXPECT_EQ(beat_behind(kMs, false), 32 * kMs);
  EXPECT_EQ(beat_behind(3 * kMs, false), 96 * kMs);
  EXPECT_EQ(beat_behind(4 * kMs, false), 100 * kMs);
  EXPECT_EQ(beat_behind(UINT64_MAX, false), 100 * kMs) << "nor where a process was stopped meanwhile";
}

// What it looks for an answer is time of a processor, from which it rests. Of a PE that has one for itself that would
// be some milliseconds, and a rest that nobody may wait for. It is no thread of the program's, which computes while it
// sleeps: the agent, which looks on for a PE that sleeps, is not to.
TEST(Heartbeat, SleepsUntilItIsAnswered) {
  sync::Patience& of_pe = job::g_node.patience;
  const sync::Patience before = std::exchange(of_pe, sync::patience_for(2, 2));
  of_pe.lie_down = []() noexcept {};
  const sync::Patience program = patience_here(EndedBy::kServers);
  EXPECT_EQ(program.spins, of_pe.spins);
  EXPECT_EQ(program.sleep_after_ns, of_pe.sleep_after_ns);
  EXPECT_EQ(program.lie_down, of_pe.lie_down);
  sync::Patience beside;
  std::thread([&] {
    goes_on_beside();
    beside = patience_here(EndedBy::kServers);
  }).join();
  EXPECT_LE(beside.spins, 16U);
  EXPECT_EQ(beside.sleep_after_ns, 0U) << "also behind a ring that was for somebody else";
  EXPECT_EQ(beside.lie_down, &leave_network);
  EXPECT_EQ(beside.longest_nap_ns, program.longest_nap_ns);
  of_pe.lie_down = nullptr;
  EXPECT_EQ(patience_beside(of_pe).lie_down, nullptr) << "nobody serves in its place where there is no network";
  of_pe = before;
}

}  // namespace
}  // namespace weft::dsm
