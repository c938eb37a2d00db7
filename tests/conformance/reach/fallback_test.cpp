// Several ways at once: the first that is permitted, and the next one when it no longer is.
#include <gtest/gtest.h>

#include <atomic>
#include <cerrno>
#include <cstdlib>
#include <vector>

#include "fake_knem.hpp"
#include "owner.hpp"

namespace weft::reach::test {
namespace {

TEST(Fallback, TakesTheFirstThatIsPermitted) {
  Self self;
  self.open(base::SingleCopy::kBest, 0, substitutes());
  Owner owner(base::SingleCopy::kBest);
  Peer peer;
  peer.meet(self, owner.card(), 1);
  EXPECT_EQ(peer.way(Direction::kRead), static_cast<int>(Way::kXpmem));
  EXPECT_EQ(peer.reason(Way::kCma, Direction::kRead).why, Why::kNotTried);
  peer.close();
}

TEST(Fallback, TakesWhatBothOffer) {
  Self self;
  self.open(base::SingleCopy::kBest, 0, substitutes());
  for (const Way way : {Way::kXpmem, Way::kCma, Way::kKnem}) {
    Owner owner(only(way));
    Peer peer;
    peer.meet(self, owner.card(), 1);
    EXPECT_EQ(peer.way(Direction::kWrite), static_cast<int>(way));
    for (int k = 0; k < static_cast<int>(way); ++k) {
      EXPECT_EQ(peer.reason(static_cast<Way>(k), Direction::kWrite).why, Why::kNotOffered);
    }
    peer.close();
  }
}

// knem as it is when an administrator takes the right away; then there is nothing left but two copies.
std::atomic<bool> g_forbidden = false;
int refusing_control(int device, unsigned long command, void* argument) {
  if (g_forbidden && command == knem::kCopy) {
    errno = EPERM;
    return -1;
  }
  return control_knem(device, command, argument);
}

TEST(Fallback, EndsWithNone) {
  g_forbidden = false;
  Systems systems = substitutes();
  systems.knem_control = refusing_control;
  Self self;
  self.open(base::SingleCopy::kKnem, 0, systems);
  Owner owner(base::SingleCopy::kKnem);
  Peer peer;
  peer.meet(self, owner.card(), 1);
  std::vector<std::byte> got(100);
  ASSERT_EQ(peer.read(got.data(), owner.place(), 0, 100).outcome, Outcome::kDone);
  g_forbidden = true;
  EXPECT_EQ(peer.read(got.data(), owner.place(), 0, 100).outcome, Outcome::kForbidden);
  EXPECT_EQ(peer.way(Direction::kRead), kNoWay);
  EXPECT_EQ(peer.reason(Way::kKnem, Direction::kRead).why, Why::kRefused);
  // It was found out for this direction only; the other one finds out as well.
  EXPECT_EQ(peer.write(owner.place(), 0, got.data(), 100).outcome, Outcome::kForbidden);
}

// xpmem's rights go in the middle, between two attachments, and cma goes on from there.
TEST(Fallback, GoesOnWhereTheFirstWasStopped) {
  Self self;
  self.open(base::SingleCopy::kBest, 0, substitutes());
  Owner owner(base::SingleCopy::kBest);
  Peer peer;
  peer.meet(self, owner.card(), 1);
  ASSERT_EQ(peer.way(Direction::kRead), static_cast<int>(Way::kXpmem));
  ASSERT_EQ(::setenv("WEFT_TEST_ATTACHMENTS", "2", 1), 0);
  std::vector<std::byte> got(kArena);
  const Moved moved = peer.read(got.data(), owner.place(), 0, kArena);
  ASSERT_EQ(::unsetenv("WEFT_TEST_ATTACHMENTS"), 0);
  EXPECT_EQ(moved.outcome, Outcome::kDone);
  EXPECT_EQ(moved.bytes, kArena);
  for (std::size_t k = 0; k < kArena; ++k) ASSERT_EQ(got[k], pattern(k)) << k;
  EXPECT_EQ(peer.way(Direction::kRead), static_cast<int>(Way::kCma));
  EXPECT_EQ(peer.reason(Way::kXpmem, Direction::kRead).why, Why::kRefused);
  peer.close();
}

}  // namespace
}  // namespace weft::reach::test
