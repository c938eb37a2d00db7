#include "test_line.hpp"

#include <gtest/gtest.h>

namespace weft::launch::tree {
namespace {

constexpr std::uint64_t kMs = 1'000'000;  // ns
constexpr std::uint64_t kLook = 100 * kMs;

TEST(Line, SaysThatItIsThereWhenItHasSaidNothingForLong) {
  TestLine line(0);
  line.beat(Line::kBeat - 1);
  EXPECT_TRUE(line.take().empty());
  line.beat(Line::kBeat);
  ASSERT_EQ(line.take().size(), 1U);
  line.beat(Line::kBeat + kLook);
  EXPECT_TRUE(line.take().empty());
  line.send(FrameKind::kGo, 0);
  line.beat(2 * Line::kBeat);
  EXPECT_EQ(line.take().size(), 1U) << "what was sent is a sign of life";
  line.beat(2 * Line::kBeat + kLook);
  EXPECT_EQ(line.take().size(), 1U);
}

TEST(Line, ALineThatHasEndedSaysNothing) {
  TestLine line(0);
  line.open = false;
  line.send(FrameKind::kGo, 0);
  line.beat(2 * Line::kBeat);
  EXPECT_TRUE(line.take().empty());
}

TEST(Line, BeatsAreSignsOfLifeAndNoFrames) {
  TestLine line(0);
  line.greet();
  EXPECT_EQ(line.silence(kLook, kLook), kLook);
  line.say(FrameKind::kBeat, kAllNodes);
  line.say(FrameKind::kReady, 3);
  EXPECT_EQ(line.silence(2 * kLook, kLook), kLook);
  const std::optional<Frame> frame = line.next();
  ASSERT_TRUE(frame);
  EXPECT_EQ(frame->kind, FrameKind::kReady);
  EXPECT_FALSE(line.next());
}

}  // namespace
}  // namespace weft::launch::tree
