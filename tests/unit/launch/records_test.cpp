#include "launch/records.hpp"

#include <gtest/gtest.h>

namespace weft::launch {
namespace {

TEST(Records, NumbersBecomeRanges) {
  EXPECT_EQ(ranges({}), "");
  EXPECT_EQ(ranges({7}), "7");
  EXPECT_EQ(ranges({0, 1}), "0, 1");
  EXPECT_EQ(ranges({0, 1, 2, 4, 6, 7, 8, 9}), "0-2, 4, 6-9");
}

}  // namespace
}  // namespace weft::launch
