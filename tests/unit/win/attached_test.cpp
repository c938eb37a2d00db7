// Memory that is attached to a window later, and what others see of it meanwhile.
#include "win/attached.hpp"

#include <atomic>

#include "members.hpp"

namespace weft::win {
namespace {

class AttachedTest : public Members {};

TEST_F(AttachedTest, IsFoundWhereItIs) {
  make(2, 0);
  static char block[300];
  using Outcome = Attached::Outcome;
  EXPECT_EQ(window(0).attach(block + 100, 100), Outcome::kDone);
  EXPECT_EQ(window(0).attach(block + 100, 1), Outcome::kOverlaps);
  EXPECT_EQ(window(0).attach(block + 50, 51), Outcome::kOverlaps);
  EXPECT_EQ(window(0).attach(block + 199, 1), Outcome::kOverlaps);
  EXPECT_EQ(window(0).attach(block, 300), Outcome::kOverlaps);
  EXPECT_EQ(window(0).detach(block + 101), Outcome::kUnknown);
  const auto at = [](int offset) { return reinterpret_cast<std::uintptr_t>(block) + static_cast<unsigned>(offset); };
  Spot spot;
  EXPECT_TRUE(window(1).find_attached(0, at(100), 100, &spot));
  EXPECT_EQ(spot.way, Way::kCopied);
  EXPECT_FALSE(window(1).find_attached(0, at(99), 2, &spot));
  EXPECT_FALSE(window(1).find_attached(0, at(199), 2, &spot));
  EXPECT_FALSE(window(1).find_attached(0, at(100), UINT64_MAX, &spot));
  EXPECT_FALSE(window(1).find_attached(1, at(100), 1, &spot)) << "another member's";
  // What lies side by side is one.
  EXPECT_EQ(window(0).attach(block + 200, 100), Outcome::kDone);
  EXPECT_EQ(window(0).attach(block, 100), Outcome::kDone);
  EXPECT_TRUE(window(1).find_attached(0, at(0), 300, &spot));
  EXPECT_FALSE(window(1).find_attached(0, at(0), 301, &spot));
  EXPECT_EQ(window(0).detach(block + 100), Outcome::kDone);
  EXPECT_FALSE(window(1).find_attached(0, at(0), 101, &spot));
  EXPECT_TRUE(window(1).find_attached(0, at(0), 100, &spot));
}

TEST_F(AttachedTest, OfTheOwnAreaIsMapped) {
  make(2, 0);
  void* const taken = take(128);
  ASSERT_EQ(window(0).attach(taken, 128), Attached::Outcome::kDone);
  Spot spot;
  ASSERT_TRUE(window(1).find_attached(0, reinterpret_cast<std::uintptr_t>(taken) + 8, 120, &spot));
  EXPECT_EQ(spot.way, Way::kMapped);
  EXPECT_EQ(spot.at, static_cast<std::byte*>(taken) + 8);
  EXPECT_TRUE(give_back(taken));
  EXPECT_FALSE(give_back(taken)) << "twice";
}

TEST_F(AttachedTest, ChangesWhileOthersLook) {
  make(2, 0);
  static char blocks[64][16];
  static char kept[16];
  ASSERT_EQ(window(0).attach(kept, sizeof kept), Attached::Outcome::kDone);
  std::atomic<bool> is_over = false;
  each([&](int me) {
    if (me == 0) {
      for (int round = 0; round < 200; ++round) {
        for (auto& block : blocks) ASSERT_EQ(window(0).attach(block, 8), Attached::Outcome::kDone);
        for (auto& block : blocks) ASSERT_EQ(window(0).detach(block), Attached::Outcome::kDone);
      }
      is_over = true;
    } else {
      Spot spot;
      while (!is_over) {
        ASSERT_TRUE(window(1).find_attached(0, reinterpret_cast<std::uintptr_t>(kept), sizeof kept, &spot))
            << "what stays is always found";
        (void)window(1).find_attached(0, reinterpret_cast<std::uintptr_t>(blocks[7]), 8, &spot);
      }
    }
  });
}

}  // namespace
}  // namespace weft::win
