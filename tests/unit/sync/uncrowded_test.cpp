// Which waits tell that a processor is shared in vain. Looks are counted here: nothing depends on how busy the machine
// is.
#include "sync/uncrowded.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <thread>

#include "sync/ticket_lock.hpp"

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

// Of one thread, whose second taking of the lock is let in by itself, when it has yielded.
TEST(Uncrowded, WaitsForATicketLockTell) {
  static std::atomic<std::uint64_t> word;
  static std::atomic<std::uint32_t> sleepers;
  static int yields = 0;
  Patience patience = patience_for(2, 2, 10);
  patience.idle = []() noexcept {
    if (++yields % 2 == 0) TicketLock(&word, sleepers).unlock();
    return false;
  };
  // A new thread knows nothing yet.
  std::thread([&] {
    const auto wait = [&] {
      TicketLock lock(&word, sleepers);
      lock.lock(patience, WaitNote());
      lock.lock(patience, WaitNote());
      lock.unlock();
    };
    for (std::uint32_t k = 0; k < Crowding::kSuspect; ++k) {
      EXPECT_TRUE(detail::crowding().spins());
      wait();
    }
    wait();
    EXPECT_FALSE(detail::crowding().spins()) << "it has left its processor, and that was of no use";
  }).join();
  EXPECT_EQ(word.load(), std::uint64_t{10} << 32 | 10);
}

}  // namespace
}  // namespace weft::sync
