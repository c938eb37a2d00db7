// Which waits tell that a processor is shared in vain. Looks are counted here: nothing depends on how busy the machine
// is.
#include "sync/uncrowded.hpp"

#include <gtest/gtest.h>

namespace weft::sync {
namespace {

struct Scene {
  Patience patience = patience_for(2, 2, 10);
  Doorbell bell{};
  Crowding crowding;
  /// A wait that is over at that look, the first of which is 1. Whether it is time to leave.
  bool wait_until(std::uint32_t look) {
    std::uint32_t looks = 0;
    return wait_and_tell<Uncrowds::kWhoSpins>(crowding, patience, bell, nullptr, WaitNote(),
                                              [&] { return ++looks >= look; });
  }
};

TEST(Uncrowded, WaitsThatEndWithTheFirstYieldsTell) {
  Scene scene;
  const std::uint32_t yields = scene.patience.spins + 2;
  for (std::uint32_t k = 1; k < Crowding::kSuspect; ++k) EXPECT_FALSE(scene.wait_until(yields));
  EXPECT_TRUE(scene.wait_until(yields));
}

TEST(Uncrowded, OneThatEndsWhileItSpinsTellsThatAllIsWell) {
  Scene scene;
  const std::uint32_t yields = scene.patience.spins + 2;
  for (int turn = 0; turn < 5; ++turn) {
    for (std::uint32_t k = 1; k < Crowding::kSuspect; ++k) EXPECT_FALSE(scene.wait_until(yields));
    EXPECT_FALSE(scene.wait_until(scene.patience.spins - 1));
  }
}

TEST(Uncrowded, LongOnesTellNothing) {
  Scene scene;
  const std::uint32_t late = scene.patience.spins + 2 * kQuietYields;
  for (int k = 0; k < 100; ++k) EXPECT_FALSE(scene.wait_until(late));
}

TEST(Uncrowded, WhereLeavingIsInVainWaitsYieldAtOnce) {
  Scene scene;
  const std::uint32_t yields = scene.patience.spins + 2;
  for (std::uint32_t k = 0; k < Crowding::kSuspect; ++k) (void)scene.wait_until(yields);
  EXPECT_FALSE(scene.wait_until(yields));
  EXPECT_FALSE(scene.crowding.spins());
  EXPECT_FALSE(scene.wait_until(2)) << "a yield";
}

}  // namespace
}  // namespace weft::sync
