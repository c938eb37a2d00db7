#include "msg/costs.hpp"

#include <gtest/gtest.h>

namespace {

using weft::msg::Costs;
using weft::msg::Found;
using weft::msg::Path;

// As many messages as are tried, each way at its price.
void try_all(Costs& costs, std::uint64_t bytes, bool both, std::uint64_t one, std::uint64_t two) {
  for (int k = 0; k < 2 * Costs::kTries; ++k) {
    const Path path = costs.path_of(bytes, both);
    EXPECT_EQ(costs.took(bytes, both, path, path == Path::kOneCopy ? one : two), k == 2 * Costs::kTries - 1);
  }
}

TEST(Costs, TriesBothAndKeepsTheCheaper) {
  Costs costs;
  try_all(costs, 8192, false, 900, 700);
  EXPECT_EQ(costs.path_of(8192, false), Path::kTwoCopies);
  EXPECT_EQ(costs.path_of(9000, false), Path::kTwoCopies) << "of the same size, nearly";
  try_all(costs, 65536, false, 3000, 7000);
  EXPECT_EQ(costs.path_of(65536, false), Path::kOneCopy);
  EXPECT_EQ(costs.path_of(8192, false), Path::kTwoCopies);
}

TEST(Costs, KeepsDirectionsApart) {
  Costs costs;
  try_all(costs, 65536, false, 3000, 2000);
  try_all(costs, 65536, true, 3000, 4000);
  EXPECT_EQ(costs.path_of(65536, false), Path::kTwoCopies);
  EXPECT_EQ(costs.path_of(65536, true), Path::kOneCopy);
}

TEST(Costs, BelievesTheBestOfTheTries) {
  Costs costs;
  for (int k = 0; k < 2 * Costs::kTries; ++k) {
    const Path path = costs.path_of(1 << 20, false);
    // The first of two copies was held up.
    (void)costs.took(1 << 20, false, path,
                     path == Path::kOneCopy ? 100'000U : (k < Costs::kTries + 1 ? 9'000'000U : 80'000U));
  }
  EXPECT_EQ(costs.path_of(1 << 20, false), Path::kTwoCopies);
}

TEST(Costs, TakesOneCopyWhereBothAreNear) {
  Costs costs;
  try_all(costs, 8192, false, 1000, 900);
  EXPECT_EQ(costs.path_of(8192, false), Path::kOneCopy);
  try_all(costs, 16384, false, 1000, 870);
  EXPECT_EQ(costs.path_of(16384, false), Path::kTwoCopies);
  try_all(costs, 8192, true, 1000, 900);
  EXPECT_EQ(costs.path_of(8192, true), Path::kTwoCopies);
  try_all(costs, 65536, true, 100'000, 90'000);
  EXPECT_EQ(costs.path_of(65536, true), Path::kOneCopy);
}

TEST(Costs, TwoThatFoundOtherwiseGoTheSameWay) {
  Costs here;
  Costs there;
  EXPECT_FALSE(here.found(8192, true).is_known()) << "nothing is told before it is found";
  try_all(here, 8192, true, 1000, 800);
  try_all(there, 8192, true, 1000, 1100);
  ASSERT_NE(here.path_of(8192, true), there.path_of(8192, true));
  EXPECT_EQ(here.path_of(8192, true, there.found(8192, true)), Path::kTwoCopies);
  EXPECT_EQ(there.path_of(8192, true, here.found(8192, true)), Path::kTwoCopies);

  try_all(here, 65536, true, 10'000, 8'000);
  try_all(there, 65536, true, 10'000, 10'500);
  ASSERT_NE(here.path_of(65536, true), there.path_of(65536, true));
  EXPECT_EQ(here.path_of(65536, true, there.found(65536, true)), Path::kOneCopy);
  EXPECT_EQ(there.path_of(65536, true, here.found(65536, true)), Path::kOneCopy);
}

TEST(Costs, WhatAnotherFoundIsOfBothDirections) {
  Costs costs;
  try_all(costs, 8192, false, 1000, 800);
  EXPECT_EQ(costs.path_of(8192, false, Found{1, UINT32_MAX}), Path::kTwoCopies);
  try_all(costs, 8192, true, 1000, 800);
  EXPECT_EQ(costs.path_of(8192, true, Found{1, UINT32_MAX}), Path::kOneCopy);
  EXPECT_EQ(costs.path_of(8192, true, Found{1, 0}), Path::kTwoCopies) << "that is nothing";
}

TEST(Costs, WhatIsFoundIsToldAsOneWord) {
  Costs costs;
  try_all(costs, 8192, true, 1000, 800);
  const Found found = costs.found(8192, true);
  EXPECT_EQ(found.one, 125U);
  EXPECT_EQ(found.two, 100U);
  const Found told = Found::of(found.word());
  EXPECT_TRUE(told.one == found.one && told.two == found.two);
  EXPECT_FALSE(Found::of(0).is_known());
  try_all(costs, 1, true, UINT64_MAX / 1024, 0);
  EXPECT_EQ(costs.found(1, true).one, UINT32_MAX);
  EXPECT_EQ(costs.found(1, true).two, 1U) << "known, if by nothing";
}

TEST(Costs, TriesOneWayAfterTheOther) {
  Costs costs;
  int changes = 0;
  Path last = costs.path_of(8192, false);
  for (int k = 0; k < 2 * Costs::kTries; ++k) {
    EXPECT_TRUE(costs.is_open(8192, false));
    const Path path = costs.path_of(8192, false);
    changes += path != last ? 1 : 0;
    last = path;
    (void)costs.took(8192, false, path, 100);
  }
  EXPECT_EQ(changes, 1);
  EXPECT_FALSE(costs.is_open(8192, false)) << "nothing is measured any more";
  EXPECT_TRUE(costs.is_open(8192, true));
}

TEST(Costs, TakesAnySize) {
  Costs costs;
  EXPECT_EQ(costs.path_of(UINT64_MAX, true), Path::kOneCopy);
  EXPECT_FALSE(costs.took(0, false, Path::kOneCopy, 1));
  (void)costs.took(UINT64_MAX, false, Path::kOneCopy, 1);
}

}  // namespace
