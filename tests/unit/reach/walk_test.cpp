#include "reach/walk.hpp"

#include <gtest/gtest.h>

namespace weft::reach {
namespace {

// Pieces of 3, 0 and 5 bytes against ranges of 0, 4 and 10: 8 bytes.
class WalkTest : public testing::Test {
 protected:
  std::byte memory[16] = {};
  Piece pieces[3] = {{memory, 3}, {memory + 3, 0}, {memory + 8, 5}};
  Range ranges[3] = {{0, 0}, {10, 4}, {20, 10}};
  Walk walk{Direction::kRead, {pieces, 3}, {{1000, 30, 0}, ranges, 3}};
};

TEST_F(WalkTest, GoesFromStretchToStretch) {
  struct Step {
    std::size_t ours;
    std::uint64_t address;
    std::size_t bytes;
  };
  for (const Step& step : {Step{0, 1010, 3}, Step{8, 1013, 1}, Step{9, 1020, 4}}) {
    const Stretch at = walk.stretch();
    EXPECT_EQ(at.ours, memory + step.ours);
    EXPECT_EQ(at.address, step.address);
    EXPECT_EQ(at.offset, step.address - 1000);
    EXPECT_EQ(at.bytes, step.bytes);
    walk.advance(at.bytes);
  }
  EXPECT_EQ(walk.left(), 0U);
  EXPECT_EQ(walk.done(), 8U);
}

TEST_F(WalkTest, ListsWhatIsLeft) {
  walk.advance(2);
  iovec list[4];
  ASSERT_EQ(walk.list_ours(list, 4, walk.left()), 2U);
  EXPECT_EQ(list[0].iov_base, memory + 2);
  EXPECT_EQ(list[0].iov_len, 1U);
  EXPECT_EQ(list[1].iov_len, 5U);
  ASSERT_EQ(walk.list_theirs(list, 4, walk.left()), 2U);
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(list[0].iov_base), 1012U);
  EXPECT_EQ(list[0].iov_len, 2U);
  EXPECT_EQ(list[1].iov_len, 4U);  // not the range's 10: the pieces end there
  EXPECT_EQ(walk.list_ours(list, 1, walk.left()), 1U);
  ASSERT_EQ(walk.list_theirs(list, 4, 1), 1U);
  EXPECT_EQ(list[0].iov_len, 1U);
}

TEST_F(WalkTest, MayStopAnywhere) {
  for (std::uint64_t k = 0; k < 8; ++k) {
    EXPECT_EQ(walk.done(), k);
    walk.advance(1);
  }
  EXPECT_EQ(walk.left(), 0U);
}

TEST(WalkOfNothing, IsDone) {
  const Range range{0, 0};
  const Piece piece{nullptr, 0};
  EXPECT_EQ(Walk(Direction::kWrite, {nullptr, 0}, {{}, nullptr, 0}).left(), 0U);
  EXPECT_EQ(Walk(Direction::kWrite, {&piece, 1}, {{}, &range, 1}).left(), 0U);
}

TEST(WalkPlaces, AreHeldTo) {
  std::byte memory[8];
  const Piece piece{memory, 8};
  const auto fits = [&](const Place& place, const Range& range) {
    return Walk(Direction::kRead, {&piece, 1}, {place, &range, 1}).fits();
  };
  EXPECT_TRUE(fits({100, 8, 0}, {0, 8}));
  EXPECT_TRUE(fits({100, 8, 0}, {8, 0}));
  EXPECT_FALSE(fits({100, 8, 0}, {1, 8}));
  EXPECT_FALSE(fits({100, 8, 0}, {9, 0}));
  EXPECT_FALSE(fits({100, 8, 0}, {UINT64_MAX, 8}));
  EXPECT_FALSE(fits({100, 8, 0}, {4, UINT64_MAX}));
  EXPECT_FALSE(fits({UINT64_MAX - 4, 8, 0}, {0, 1}));
}

}  // namespace
}  // namespace weft::reach
