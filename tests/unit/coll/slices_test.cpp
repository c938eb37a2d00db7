#include "coll/pull/slices.hpp"

#include <gtest/gtest.h>

#include "coll/reduce/combine.hpp"

namespace weft::coll {
namespace {

TEST(Slicings, AreOfWholeGrainsAndLines) {
  EXPECT_EQ(Slicing(65536 / 3, 1).bytes(), 21824U);
  EXPECT_EQ(Slicing(65536 / 3, 16).bytes(), 21824U);
  EXPECT_EQ(Slicing(65536 / 3, 24).bytes(), 21840U);  // a line is not of whole grains
  EXPECT_EQ(Slicing(8192 / 16, 24).bytes(), 504U);
  EXPECT_EQ(Slicing(8192 / 128, 48).bytes(), 48U);
  EXPECT_EQ(Slicing(8192 / 128, 72).bytes(), 0U);
  EXPECT_EQ(Slicing(8192 / 129, 8).bytes(), 0U);  // no line
}

TEST(Slicings, HaveEachByteOnce) {
  for (const std::size_t part :
       {std::size_t{0}, std::size_t{1}, std::size_t{1024}, std::size_t{1025}, std::size_t{5000}}) {
    const Slicing slicing(1024, 1);
    std::size_t sum = 0;
    for (std::size_t k = 0; k < slicing.count(part); ++k) {
      EXPECT_GT(slicing.length(k, part), 0U);
      sum += slicing.length(k, part);
    }
    EXPECT_EQ(sum, part);
    EXPECT_EQ(slicing.length(slicing.count(part), part), 0U);
  }
}

// What they are for: all members have something of each slice but of the last one.
TEST(Slicings, GiveAllMembersWorkAtATime) {
  constexpr int kMembers = 7;
  constexpr std::size_t kCount = 100000;
  constexpr std::size_t kElement = 24;
  const Slicing slicing(65536 / kMembers, kElement);
  std::size_t longest = 0;
  for (int member = 0; member < kMembers; ++member) {
    const Share share = share_of(member, kMembers, kCount, kElement);
    longest = std::max(longest, (share.end - share.begin) * kElement);
  }
  for (int member = 0; member < kMembers; ++member) {
    const Share share = share_of(member, kMembers, kCount, kElement);
    for (std::size_t k = 0; k + 1 < slicing.count(longest); ++k) {
      EXPECT_GT(slicing.length(k, (share.end - share.begin) * kElement), 0U);
    }
  }
}

}  // namespace
}  // namespace weft::coll
