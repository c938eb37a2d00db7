#include "dsm/heartbeat.hpp"

#include <gtest/gtest.h>

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

}  // namespace
}  // namespace weft::dsm
