#include "win/spans.hpp"

#include <gtest/gtest.h>

namespace weft::win {
namespace {

TEST(Spans, MeetWhatTheyShareAByteWith) {
  Spans spans;
  EXPECT_FALSE(spans.meet({0, 0, 100}));
  spans.add({0, 100, 200});
  EXPECT_TRUE(spans.meet({0, 199, 300}));
  EXPECT_TRUE(spans.meet({0, 0, 101}));
  EXPECT_TRUE(spans.meet({0, 120, 130}));
  EXPECT_TRUE(spans.meet({0, 0, 1000}));
  EXPECT_FALSE(spans.meet({0, 0, 100}));
  EXPECT_FALSE(spans.meet({0, 200, 300}));
  EXPECT_FALSE(spans.meet({1, 100, 200}));
  spans.clear();
  EXPECT_FALSE(spans.meet({0, 100, 200}));
}

TEST(Spans, HaveRoomForARowInManyParts) {
  Spans spans;
  for (std::uint64_t part = 0; part < 1000; ++part) {
    ASSERT_FALSE(spans.meet({3, part * 10, part * 10 + 10}));
    spans.add({3, part * 10, part * 10 + 10});
  }
  spans.add({4, 0, 10});
  EXPECT_TRUE(spans.meet({3, 9999, 20000}));
  EXPECT_FALSE(spans.meet({3, 10000, 20000}));
}

// Where there is no room for one more, the nearest of the member takes in what lies between, and none less than was
// added.
TEST(Spans, TakeInMoreWhenTheyAreFull) {
  Spans spans;
  for (std::uint64_t k = 0; k < 100; ++k) {
    spans.add({0, k * 100, k * 100 + 10});
  }
  for (std::uint64_t k = 0; k < 100; ++k) {
    EXPECT_TRUE(spans.meet({0, k * 100 + 9, k * 100 + 11}));
  }
  EXPECT_FALSE(spans.meet({0, 10, 100})) << "between the first two, which were there before";
  EXPECT_FALSE(spans.meet({0, 100 * 100, 100 * 100 + 10}));
  EXPECT_FALSE(spans.meet({1, 0, 10}));
}

// And of a member that has none nothing is known but that it is somewhere.
TEST(Spans, OfTooManyMembersAreMetByAll) {
  Spans spans;
  for (int rank = 0; rank < 8; ++rank) {
    spans.add({rank, 0, 10});
  }
  EXPECT_FALSE(spans.meet({8, 0, 10}));
  EXPECT_FALSE(spans.meet({3, 10, 20}));
  spans.add({8, 0, 10});
  EXPECT_TRUE(spans.meet({8, 0, 10}));
  EXPECT_TRUE(spans.meet({3, 10, 20}));
  spans.clear();
  EXPECT_FALSE(spans.meet({8, 0, 10}));
}

}  // namespace
}  // namespace weft::win
