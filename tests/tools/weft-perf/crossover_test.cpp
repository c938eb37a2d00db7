// Measurements that are made up.
#include "crossover.hpp"

#include <gtest/gtest.h>

namespace weft::perf {
namespace {

TEST(Crossover, IsTheLastSizeWhereCopyingIsFaster) {
  EXPECT_EQ(crossover({{64, 1, 9}, {128, 2, 9}, {256, 4, 10}, {512, 12, 11}, {1024, 20, 12}}), 256U);
}

TEST(Crossover, IsNoneWhereCopyingNeverPays) { EXPECT_EQ(crossover({{64, 3, 2}, {128, 3, 2}}), 0U); }

TEST(Crossover, IsTheLargestSizeWhereItAlwaysPays) { EXPECT_EQ(crossover({{64, 1, 2}, {128, 1, 2}}), 128U); }

TEST(Crossover, OneDisturbedSampleDecidesNothing) {
  // At 128 copying looks bad, and at 1024 good, both alone among their neighbours.
  EXPECT_EQ(crossover({{64, 1, 9}, {128, 12, 9}, {256, 2, 9}, {512, 4, 2}, {1024, 4, 3.9}, {2048, 8, 3}}), 256U);
  EXPECT_EQ(crossover({{64, 1, 9}, {128, 2, 9}, {256, 9, 2}, {512, 4, 4.2}, {1024, 8, 3}}), 128U);
}

TEST(Crossover, LosesTheSameForSmallAndLarge) {
  // Ten microseconds at a large size are less than a third of a microsecond at a small one.
  EXPECT_EQ(crossover({{64, 0.2, 0.5}, {65536, 100, 110}}), 65536U);
  EXPECT_EQ(crossover({{64, 0.2, 0.5}, {65536, 110, 100}}), 64U);
}

TEST(Crossover, OfNothingIsNone) { EXPECT_EQ(crossover({}), 0U); }

}  // namespace
}  // namespace weft::perf
