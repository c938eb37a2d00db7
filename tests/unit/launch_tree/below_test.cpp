#include "launch/tree/below.hpp"

#include <gtest/gtest.h>

#include <memory>

#include "launch/tree/between.hpp"
#include "test_line.hpp"

namespace weft::launch::tree {
namespace {

constexpr std::uint64_t kSecond = 1'000'000'000;  // ns

class TestBelow final : public Below {
 public:
  explicit TestBelow(const std::vector<Branch>& branches) {
    bear_silence(3 * kSecond);
    for (const Branch& branch : branches) {
      lines.push_back(std::make_unique<TestLine>(0));
      lines.back()->greet();
      add(branch, *lines.back());
    }
  }
  std::vector<std::unique_ptr<TestLine>> lines;
  std::vector<std::size_t> was_cut;
  bool known = true;  // why a line has ended

 private:
  void cut(std::size_t child) override {
    lines[child]->open = false;
    was_cut.push_back(child);
  }
  std::optional<std::string> why_ended(std::size_t child, std::uint64_t /*now*/) override {
    if (!known) return std::nullopt;
    return given_up(child).empty() ? "has gone" : given_up(child);
  }
};

/// Nodes 1 to 3 by one agent, 4 by another.
class BelowTest : public testing::Test {
 protected:
  TestBelow below{{{1, 4}, {4, 5}}};
  /// "1-4 why", of the next frame, which says that these are lost.
  std::string next_lost(std::uint64_t now = 0) {
    const std::optional<Frame> frame = below.next(now);
    if (!frame || frame->kind != FrameKind::kLost) return "";
    Unpacker from(frame->payload);
    const int first = from.get<int>();
    const int end = from.get<int>();
    return std::to_string(first) + "-" + std::to_string(end) + " " + from.text();
  }
};

TEST_F(BelowTest, FramesFindTheirWay) {
  below.send(FrameKind::kGo, kAllNodes);
  below.send(FrameKind::kPassedOn, 3, "x");
  EXPECT_EQ(below.lines[0]->take().size(), 2U);
  EXPECT_EQ(below.lines[1]->take().size(), 1U);
}

TEST_F(BelowTest, WhoIsSilentIsLostAndToldOnce) {
  for (std::uint64_t now = kSecond; now < 3 * kSecond; now += kSecond) {
    below.lines[1]->say(FrameKind::kBeat, kAllNodes);
    below.look(now, kSecond);
  }
  EXPECT_EQ(next_lost(), "");
  below.lines[1]->say(FrameKind::kBeat, kAllNodes);
  below.look(3 * kSecond, kSecond);
  EXPECT_EQ(next_lost(),
            "1-4 has not answered for 3 s (--link-timeout); the host, the network or its weft-agent has stopped");
  EXPECT_EQ(below.was_cut, std::vector<std::size_t>{0});
  below.look(9 * kSecond, kSecond);
  EXPECT_EQ(next_lost(), "");
  (void)below.lines[0]->take();
  below.send(FrameKind::kSignal, kAllNodes);
  EXPECT_TRUE(below.lines[0]->take().empty());
  EXPECT_FALSE(below.lines[1]->take().empty());
}

TEST_F(BelowTest, LastWordsAreTheReason) {
  below.lines[1]->say(FrameKind::kGivenUp, 4, "was told to end");
  below.lines[1]->open = false;
  below.known = false;
  EXPECT_EQ(next_lost(), "");
  below.known = true;
  EXPECT_EQ(next_lost(), "4-5 was told to end");
}

TEST_F(BelowTest, WhoLeavesBehindTheEndIsNotLost) {
  below.finish();
  below.lines[0]->open = below.lines[1]->open = false;
  EXPECT_EQ(next_lost(), "");
  EXPECT_TRUE(below.all_gone());
}

/// The agent of node 1, with nodes 2 and 3 below.
class BetweenTest : public testing::Test {
 protected:
  BetweenTest() {
    up.greet();
    between.place(1, 3 * kSecond);
  }
  TestLine up{0};
  TestBelow below{{{2, 3}, {3, 4}}};
  Between between{up, below};
};

TEST_F(BetweenTest, WhatIsForOthersIsPassedOn) {
  EXPECT_TRUE(between.pass_down({FrameKind::kGo, kAllNodes, ""}));
  EXPECT_TRUE(between.pass_down({FrameKind::kPassedOn, 1, ""}));
  EXPECT_FALSE(between.pass_down({FrameKind::kPassedOn, 3, ""}));
  EXPECT_EQ(below.lines[0]->take().size(), 1U);
  EXPECT_EQ(below.lines[1]->take().size(), 2U);
  below.lines[1]->say(FrameKind::kReady, 3, "x");
  between.pass_up(0);
  between.tell(FrameKind::kReady);
  const std::vector<Frame> told = up.take();
  ASSERT_EQ(told.size(), 2U);
  EXPECT_EQ(told[0].node, 3U);
  EXPECT_EQ(told[0].payload, "x");
  EXPECT_EQ(told[1].node, 1U);
}

TEST_F(BetweenTest, SilenceFromAboveIsBorneForAWhile) {
  EXPECT_FALSE(between.look(kSecond, kSecond));
  EXPECT_FALSE(between.look(2 * kSecond, kSecond));
  EXPECT_EQ(between.look(3 * kSecond, kSecond), 3 * kSecond);
  between.pause();
  EXPECT_FALSE(between.look(4 * kSecond, kSecond));
  up.say(FrameKind::kBeat, kAllNodes);
  for (std::uint64_t now = 5; now < 8; ++now) EXPECT_EQ(between.look(now * kSecond, kSecond).has_value(), now == 7);
}

}  // namespace
}  // namespace weft::launch::tree
