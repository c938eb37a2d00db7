#include "dsm/heartbeat.hpp"

#include <gtest/gtest.h>

#include "dsm/waits.hpp"

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
// be some milliseconds, and a rest that nobody may wait for.
TEST(Heartbeat, SleepsUntilItIsAnswered) {
  const sync::Patience program = sync::patience_for(2, 2);
  const sync::Patience beside = patience_beside(program);
  EXPECT_GT(program.sleep_after_ns, beside.sleep_after_ns);
  EXPECT_GT(program.spins, beside.spins);
  EXPECT_LE(beat_behind(beside.sleep_after_ns, false), kMs);
  EXPECT_EQ(patience_beside(beside).spins, beside.spins);
  EXPECT_EQ(beside.longest_nap_ns, program.longest_nap_ns);
}

}  // namespace
}  // namespace weft::dsm
