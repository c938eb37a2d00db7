#include "coll/tags.hpp"

#include <gtest/gtest.h>

#include <set>

namespace weft::coll {
namespace {

// The largest places there are: an address space of 47 bits.
TEST(Tags, HaveFewBitsAndDiffer) {
  constexpr std::uint64_t kFarthest = (std::uint64_t{1} << 47) - 4;
  std::set<transport::Tag> seen;
  std::size_t made = 0;
  for (const Named what : {Named::kTeam, Named::kPending}) {
    for (const std::uint64_t slot : {0, 1, 2, 1023}) {
      seen.insert(named(what, slot));
      ++made;
    }
  }
  for (const Named what : {Named::kSetOnHeap, Named::kSetInStatics}) {
    for (const std::uint64_t offset :
         {std::uint64_t{0}, std::uint64_t{4}, std::uint64_t{8}, kFarthest - 4, kFarthest}) {
      seen.insert(named(what, offset));
      ++made;
    }
  }
  EXPECT_EQ(seen.size(), made);
  EXPECT_LT(*seen.rbegin(), transport::Tag{1} << 48);
}

TEST(Tags, NeedANetworkThatCarriesThem) {
  constexpr std::uint64_t kGeneric = 0xaaaaaaaaaaaaaaaa;  // libfabric's: single bits in turn
  EXPECT_TRUE(transport::carries_tags(kGeneric));
  EXPECT_TRUE(transport::carries_tags(kGeneric >> 16));
  EXPECT_FALSE(transport::carries_tags(kGeneric >> 17));
  EXPECT_FALSE(transport::carries_tags(0xffffffff));
  EXPECT_TRUE(transport::carries_tags(0)) << "it does not tell";
}

}  // namespace
}  // namespace weft::coll
