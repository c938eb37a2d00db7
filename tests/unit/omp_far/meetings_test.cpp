#include "omp/far/meetings.hpp"

#include <gtest/gtest.h>

namespace weft::omp::far {
namespace {

TEST(Meetings, EachBarrierIsMetOnceWithWhatIsBroughtThere) {
  Meetings meetings;
  for (std::uint64_t number = 1; number <= 5; ++number) {
    EXPECT_EQ(meetings.next(2), number);
    EXPECT_FALSE(meetings.has_come(2));
    EXPECT_TRUE(meetings.come(2, number, 10 * number));
    EXPECT_TRUE(meetings.has_come(2));
    EXPECT_FALSE(meetings.has_come(1)) << "that is another process";
    EXPECT_EQ(meetings.meet(2), 10 * number);
  }
}

TEST(Meetings, AMessageOfTheNextBarrierMayComeFirst) {
  Meetings meetings;
  EXPECT_TRUE(meetings.come(1, 2, 20));
  EXPECT_FALSE(meetings.has_come(1)) << "at the second one, and not at the first one";
  EXPECT_TRUE(meetings.come(1, 1, 10));
  EXPECT_TRUE(meetings.has_come(1));
  EXPECT_EQ(meetings.meet(1), 10U);
  EXPECT_TRUE(meetings.has_come(1));
  EXPECT_TRUE(meetings.come(1, 3, 30)) << "its place is free";
  EXPECT_EQ(meetings.meet(1), 20U);
  EXPECT_EQ(meetings.meet(1), 30U);
  EXPECT_FALSE(meetings.has_come(1));
}

TEST(Meetings, WhatCannotBeIsRefused) {
  Meetings meetings;
  EXPECT_FALSE(meetings.come(-1, 1, 0));
  EXPECT_FALSE(meetings.come(kMostMeet, 1, 0));
  EXPECT_FALSE(meetings.come(0, 0, 0));
  EXPECT_FALSE(meetings.come(0, 3, 0)) << "two others come before";
  EXPECT_TRUE(meetings.come(0, 1, 0));
  EXPECT_FALSE(meetings.come(0, 1, 0)) << "again";
  EXPECT_FALSE(meetings.come(0, 5, 0));
}

}  // namespace
}  // namespace weft::omp::far
