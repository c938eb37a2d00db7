#include "launch/hosts/link.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <array>

namespace weft::launch::hosts {
namespace {

constexpr std::uint64_t kMs = 1'000'000;  // ns
constexpr std::uint64_t kLook = 100 * kMs;

/// A link, and the other ends of its pipes. Its clock is the test's.
class LinkTest : public testing::Test {
 protected:
  void SetUp() override {
    std::array<int, 2> in{};
    std::array<int, 2> out{};
    ASSERT_EQ(::pipe(in.data()), 0);
    ASSERT_EQ(::pipe(out.data()), 0);
    to_link = in[1];
    from_link = out[0];
    link.open(in[0], out[1], now);
  }
  void TearDown() override {
    (void)::close(to_link);
    (void)::close(from_link);
  }
  /// The silence at a look that comes so late.
  std::uint64_t look_after(std::uint64_t time) {
    now += time;
    return link.silence(now, kLook);
  }

  streams::Poller poller;
  Link link{poller, 0};
  std::uint64_t now = 1'000'000 * kMs;
  int to_link = -1;
  int from_link = -1;
};

TEST_F(LinkTest, SilenceIsWhatLooksInTimeHaveHeardNothing) {
  EXPECT_EQ(look_after(kLook), kLook);
  EXPECT_EQ(look_after(kLook / 2), kLook + kLook / 2);
  ASSERT_EQ(::write(to_link, "x", 1), 1);
  link.readable();
  EXPECT_EQ(look_after(kLook), kLook);
  link.forget_silence();
  EXPECT_EQ(look_after(kLook), kLook);
}

// Who gets the processor once in a second looks ten times in ten seconds: not enough to know that nobody is there.
TEST_F(LinkTest, WhoIsStarvedHasNotListened) {
  for (std::uint64_t looks = 1; looks <= 10; ++looks) EXPECT_EQ(look_after(1000 * kMs), looks * kLook);
  EXPECT_EQ(look_after(3'600'000 * kMs), 11 * kLook) << "a machine that was asleep";
}

TEST_F(LinkTest, AClockThatGoesBackIsNoSilence) {
  now -= 10 * kLook;
  EXPECT_EQ(link.silence(now, kLook), 0U);
}

}  // namespace
}  // namespace weft::launch::hosts
