// Cards that lie. None may make this process read or write what it should not, or end.
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <functional>

#include "reach/identity.hpp"
#include "reach/peer.hpp"
#include "reach/self.hpp"
#include "support/process.hpp"

namespace weft::reach {
namespace {

class Hostile : public testing::Test {
 protected:
  Hostile() {
    self.open(base::SingleCopy::kCma, 0);
    self.show(&card);
  }
  // What comes of the card after `change`.
  Why after(const std::function<void()>& change) {
    change();
    Peer peer;
    peer.meet(self, card, 1);
    std::uint64_t got = 0;
    const Place place = self.show(&self, 16, true);
    EXPECT_EQ(peer.read(&got, place, 0, 8).outcome, Outcome::kForbidden);
    EXPECT_EQ(got, 0U);
    EXPECT_EQ(peer.write(place, 0, &got, 8).outcome, Outcome::kForbidden);
    const Why why = peer.reason(Way::kCma, Direction::kRead).why;
    EXPECT_EQ(peer.reason(Way::kCma, Direction::kWrite).why, why);
    self.show(&card);
    return why;
  }

  Self self;
  Card card{};
};

TEST_F(Hostile, ProcessesThatAreNone) {
  EXPECT_EQ(after([&] { card.pid = 0; }), Why::kBadCard);
  EXPECT_EQ(after([&] { card.pid = -1; }), Why::kBadCard);
  EXPECT_EQ(after([&] { card.pid = INT32_MIN; }), Why::kBadCard);
  EXPECT_EQ(after([&] { card.pid = INT32_MAX; }), Why::kGone);
}

TEST_F(Hostile, OtherProcesses) {
  EXPECT_EQ(after([&] { card.pid = 1; }), Why::kOtherProcess);  // by its start
  EXPECT_EQ(after([&] { card.started += 1; }), Why::kOtherProcess);
  EXPECT_EQ(after([&] { card.pid_space += 1; }), Why::kPidSpace);
}

// The very process, but not what it should hold.
TEST_F(Hostile, WordsThatAreWrong) {
  EXPECT_EQ(after([&] { card.token += 2; }), Why::kOtherProcess);
  EXPECT_EQ(after([&] { card.probe = 0; }), Why::kBadCard);
  EXPECT_EQ(after([&] { card.probe += 4; }), Why::kBadCard);
  EXPECT_EQ(after([&] { card.probe = 8; }), Why::kOtherProcess);  // nothing is mapped there
  EXPECT_EQ(after([&] { card.probe = UINT64_MAX - 7; }), Why::kOtherProcess);
  EXPECT_EQ(after([&] { card.probe = std::uint64_t{1} << 62; }), Why::kOtherProcess);
}

// A word that is right and cannot be written: read, not written.
TEST_F(Hostile, WordsThatCannotBeWritten) {
  void* at = ::mmap(nullptr, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  ASSERT_NE(at, MAP_FAILED);
  *static_cast<std::uint64_t*>(at) = card.token;
  ASSERT_EQ(::mprotect(at, 4096, PROT_READ), 0);
  card.probe = reinterpret_cast<std::uintptr_t>(at);
  Peer peer;
  peer.meet(self, card, 1);
  EXPECT_EQ(peer.way(Direction::kRead), static_cast<int>(Way::kCma));
  EXPECT_EQ(peer.way(Direction::kWrite), kNoWay);
  (void)::munmap(at, 4096);
}

TEST_F(Hostile, WaysThatAreNotOffered) {
  EXPECT_EQ(after([&] { card.ways = 0; }), Why::kNotOffered);
  EXPECT_EQ(after([&] { card.ways = ~bit(Way::kCma); }), Why::kNotOffered);
}

TEST_F(Hostile, UntouchedMemory) {
  static const Card none{};
  Peer peer;
  peer.meet(self, none, 1);
  EXPECT_EQ(peer.way(Direction::kRead), kNoWay);
  EXPECT_EQ(peer.reason(Way::kCma, Direction::kRead).why, Why::kNotOffered);
}

// Its number is used again while the peer is known: nothing can be read of who has it now by what was found out before.
TEST_F(Hostile, ProcessesThatHaveEnded) {
  weft::test::Child child = weft::test::Child::start([] {});
  const pid_t pid = child.pid();
  (void)child.wait();
  EXPECT_EQ(after([&] { card.pid = pid; }), Why::kGone);
}

TEST_F(Hostile, Places) {
  Peer peer;
  peer.meet(self, card, 1);
  std::uint64_t got = 0;
  EXPECT_EQ(peer.read(&got, {0, 8, 0}, 0, 8).outcome, Outcome::kUnmapped);
  EXPECT_EQ(peer.read(&got, {UINT64_MAX - 7, 8, 0}, 0, 8).outcome, Outcome::kUnmapped);
  EXPECT_EQ(peer.read(&got, {std::uint64_t{0xffff8000} << 32, UINT64_MAX >> 20, 0}, 0, 8).outcome, Outcome::kUnmapped);
  EXPECT_EQ(peer.write({0, UINT64_MAX, 0}, UINT64_MAX - 8, &got, 8).outcome, Outcome::kUnmapped);
}

}  // namespace
}  // namespace weft::reach
