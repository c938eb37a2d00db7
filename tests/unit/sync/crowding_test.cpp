#include "sync/crowding.hpp"

#include <gtest/gtest.h>

namespace {

using weft::sync::Crowding;
using Ended = Crowding::Ended;

// Waits that end with the first yields, until it is time to leave; so many at most.
int waits_until_it_leaves(Crowding& crowding, int most) {
  for (int k = 1; k <= most; ++k) {
    if (crowding.waited(Ended::kYielding)) {
      return k;
    }
  }
  return -1;
}

TEST(Crowding, LeavesAfterAFewWaitsInVain) {
  Crowding crowding;
  EXPECT_TRUE(crowding.spins());
  EXPECT_EQ(waits_until_it_leaves(crowding, 100), static_cast<int>(Crowding::kSuspect));
  EXPECT_TRUE(crowding.spins()) << "to see whether that was of use";
}

TEST(Crowding, OneOfTwoIsFirst) {
  Crowding second;
  Crowding::g_suspect = Crowding::suspect_of(1);
  EXPECT_EQ(waits_until_it_leaves(second, 100), static_cast<int>(Crowding::kSuspect + Crowding::kOthersWait));
  Crowding::g_suspect = Crowding::suspect_of(0);
}

TEST(Crowding, OneWaitThatSpinsTellsThatAllIsWell) {
  Crowding crowding;
  for (int k = 0; k < 1000; ++k) {
    EXPECT_FALSE(crowding.waited(k % static_cast<int>(Crowding::kSuspect) == 0 ? Ended::kSoon : Ended::kYielding));
    EXPECT_TRUE(crowding.spins());
  }
}

TEST(Crowding, LongWaitsSayNothing) {
  Crowding crowding;
  for (int k = 0; k < 1000; ++k) {
    EXPECT_FALSE(crowding.waited(Ended::kLater));
    EXPECT_TRUE(crowding.spins());
  }
}

TEST(Crowding, WhereLeavingIsInVainItYieldsAndTriesAgainEverLater) {
  Crowding crowding;
  std::uint32_t before = 0;
  for (int turn = 0; turn < 12; ++turn) {
    ASSERT_GT(waits_until_it_leaves(crowding, 100), 0);
    EXPECT_FALSE(crowding.waited(Ended::kYielding));
    std::uint32_t yields = 0;
    for (; !crowding.spins(); ++yields) {
      EXPECT_FALSE(crowding.waited(Ended::kYielding));
    }
    EXPECT_GE(yields, before);
    EXPECT_GE(yields, Crowding::kFirstPause);
    EXPECT_LE(yields, Crowding::kLongestPause);
    before = yields;
  }
  EXPECT_EQ(before, Crowding::kLongestPause);
}

}  // namespace
