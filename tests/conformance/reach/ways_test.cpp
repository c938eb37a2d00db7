// What every way of src/reach has to do. For xpmem and knem, whose modules are hardly anywhere, with substitutes.
#include <gtest/gtest.h>
#include <sys/mman.h>

#include <algorithm>
#include <numeric>
#include <random>
#include <thread>
#include <vector>

#include "owner.hpp"

namespace weft::reach::test {
namespace {

constexpr std::byte kGuard{0x5a};
constexpr std::size_t kMargin = 64;

class Ways : public testing::TestWithParam<Way> {
 protected:
  Ways() : owner(only(GetParam())) {
    self.open(only(GetParam()), 0, substitutes());
    peer.meet(self, owner.card(), 1);
  }
  ~Ways() override { peer.close(); }

  void expect_chosen() {
    for (const Direction direction : {Direction::kRead, Direction::kWrite}) {
      char text[kReasonText];
      ASSERT_EQ(peer.way(direction), static_cast<int>(GetParam()))
          << reason_text(GetParam(), peer.reason(GetParam(), direction), text);
    }
  }
  static std::vector<std::byte> others(std::size_t bytes) {
    std::vector<std::byte> data(bytes);
    for (std::size_t k = 0; k < bytes; ++k) data[k] = ~pattern(k * 7 + 3);
    return data;
  }

  Self self;
  Owner owner;
  Peer peer;
};

TEST_P(Ways, IsFoundOutAtFirstUse) { expect_chosen(); }

TEST_P(Ways, ReadsAnySizeFromAnyPlace) {
  for (const std::size_t bytes : {0UL, 1UL, 7UL, 8UL, 63UL, 4095UL, 4096UL, 4097UL, 65536UL, (3UL << 20) + 5}) {
    for (const std::size_t offset : {0UL, 1UL, 63UL, 4095UL, (1UL << 20) - 3}) {
      std::vector<std::byte> got(bytes + 2 * kMargin, kGuard);
      const Moved moved = peer.read(got.data() + kMargin, owner.place(), offset, bytes);
      ASSERT_EQ(moved.outcome, Outcome::kDone) << bytes << " at " << offset << ": " << moved.error;
      ASSERT_EQ(moved.bytes, bytes);
      for (std::size_t k = 0; k < bytes; ++k) ASSERT_EQ(got[kMargin + k], pattern(offset + k)) << k;
      for (std::size_t k = 0; k < kMargin; ++k) {
        ASSERT_EQ(got[k], kGuard);
        ASSERT_EQ(got[kMargin + bytes + k], kGuard);
      }
    }
  }
}

TEST_P(Ways, WritesAnySizeToAnyPlaceAndNothingElse) {
  for (const std::size_t bytes : {0UL, 1UL, 7UL, 8UL, 4097UL, (3UL << 20) + 5}) {
    for (const std::size_t offset : {0UL, 1UL, 4095UL, (1UL << 20) - 3}) {
      const std::vector<std::byte> data = others(bytes);
      const Moved moved = peer.write(owner.place(), offset, data.data(), bytes);
      ASSERT_EQ(moved.outcome, Outcome::kDone) << bytes << " at " << offset << ": " << moved.error;
      ASSERT_TRUE(std::equal(data.begin(), data.end(), owner.arena() + offset));
      for (std::size_t k = 0; k < bytes; ++k) owner.arena()[offset + k] = pattern(offset + k);
      ASSERT_TRUE(owner.ask(Ask::kCheck));
    }
  }
}

// Processors have a way of copying that is slow there, which some ways go round.
TEST_P(Ways, MovesWhatLiesJustAheadInItsPage) {
  constexpr std::size_t kPage = 4096;
  std::vector<std::byte> room(300000 + 2 * kPage);
  for (const std::size_t bytes : {4095UL, 4096UL, 32768UL, 32769UL, 300000UL}) {
    for (const std::size_t offset : {0UL, 3UL, 4090UL}) {
      for (const std::size_t ahead : {1UL, 8UL, 15UL, 16UL, 31UL, 4081UL, 4088UL, 4095UL}) {
        const std::uintptr_t wanted = (owner.place().address + offset + ahead) % kPage;
        const std::uintptr_t begins = reinterpret_cast<std::uintptr_t>(room.data()) % kPage;
        std::byte* const ours = room.data() + (wanted + kPage - begins) % kPage;
        std::fill(room.begin(), room.end(), kGuard);
        ASSERT_EQ(peer.read(ours, owner.place(), offset, bytes).outcome, Outcome::kDone);
        for (std::size_t k = 0; k < bytes; ++k) ASSERT_EQ(ours[k], pattern(offset + k)) << k;
        ASSERT_EQ(ours[bytes], kGuard);
        // And back again, which changes nothing.
        ASSERT_EQ(peer.write(owner.place(), offset, ours, bytes).outcome, Outcome::kDone);
      }
    }
  }
  EXPECT_TRUE(owner.ask(Ask::kCheck));
}

// More pieces than the kernel takes in a call, of sizes that fit nothing, empty ones among them.
TEST_P(Ways, MovesListsOfPieces) {
  std::mt19937 random(7);
  std::vector<std::byte> got(std::size_t{1} << 20);
  std::vector<Piece> ours;
  std::vector<Range> theirs;
  for (std::size_t at = 0; at < got.size();) {
    const std::size_t bytes = std::min<std::size_t>(random() % 700, got.size() - at);
    ours.push_back({got.data() + at, bytes});
    at += bytes;
  }
  for (std::size_t at = 0; at < got.size();) {
    const std::size_t bytes = std::min<std::size_t>(random() % 900, got.size() - at);
    theirs.push_back({at * 2, bytes});
    at += bytes;
  }
  ASSERT_GT(ours.size(), 1024U);
  ASSERT_GT(theirs.size(), 1024U);
  const Ours here{ours.data(), ours.size()};
  const Theirs there{owner.place(), theirs.data(), theirs.size()};
  ASSERT_EQ(peer.read(here, there).outcome, Outcome::kDone);
  std::size_t at = 0;
  for (const Range& range : theirs) {
    for (std::size_t k = 0; k < range.bytes; ++k, ++at) ASSERT_EQ(got[at], pattern(range.offset + k)) << at;
  }
  // And back again, which changes nothing.
  ASSERT_EQ(peer.write(there, here).outcome, Outcome::kDone);
  EXPECT_TRUE(owner.ask(Ask::kCheck));
}

TEST_P(Ways, MovesAsMuchAsBothSidesHave) {
  std::byte got[100] = {};
  const Piece piece{got, sizeof got};
  const Range range{5, 40};
  const Moved moved = peer.read({&piece, 1}, {owner.place(), &range, 1});
  EXPECT_EQ(moved.outcome, Outcome::kDone);
  EXPECT_EQ(moved.bytes, 40U);
  EXPECT_EQ(got[40], std::byte{});
  EXPECT_EQ(peer.read({&piece, 1}, {owner.place(), &range, 0}).outcome, Outcome::kDone);
  EXPECT_EQ(peer.read({&piece, 0}, {owner.place(), &range, 1}).bytes, 0U);
}

TEST_P(Ways, KnowsTheEndsOfAPlace) {
  std::byte byte{};
  const std::uint64_t far = UINT64_MAX - 3;
  for (const std::uint64_t offset : {kArena, kArena + 1, far}) {
    EXPECT_EQ(peer.read(&byte, owner.place(), offset, 1).outcome, Outcome::kUnmapped);
    EXPECT_EQ(peer.write(owner.place(), offset, &byte, 1).outcome, Outcome::kUnmapped);
  }
  const Place wraps{UINT64_MAX - 10, 100, owner.place().cookie};
  EXPECT_EQ(peer.read(&byte, wraps, 0, 1).outcome, Outcome::kUnmapped);
}

TEST_P(Ways, TellsOfMemoryThatThePeerHasLost) {
  expect_chosen();
  ASSERT_TRUE(owner.ask(Ask::kUnmapSecondHalf));
  std::vector<std::byte> got(kArena);
  const Moved moved = peer.read(got.data(), owner.place(), 0, kArena);
  EXPECT_EQ(moved.outcome, Outcome::kUnmapped) << name_of(moved.outcome) << ", " << moved.error;
  EXPECT_LE(moved.bytes, kArena / 2);
  for (std::size_t k = 0; k < moved.bytes; ++k) ASSERT_EQ(got[k], pattern(k));
  EXPECT_EQ(peer.write(owner.place(), kArena / 2, got.data(), 8).outcome, Outcome::kUnmapped);
  // What is left is still to be had.
  EXPECT_EQ(peer.read(got.data(), owner.place(), 100, 5000).outcome, Outcome::kDone);
}

TEST_P(Ways, LetsGoOfMemoryThatWasReplaced) {
  std::byte byte{};
  const std::uint64_t offset = kArena / 2 + 17;
  ASSERT_EQ(peer.read(&byte, owner.place(), offset, 1).outcome, Outcome::kDone);
  ASSERT_TRUE(owner.ask(Ask::kUnmapSecondHalf));
  peer.forget(owner.place());
  EXPECT_EQ(peer.read(&byte, owner.place(), offset, 1).outcome, Outcome::kUnmapped);
}

TEST_P(Ways, WritesNothingThatMayOnlyBeRead) {
  expect_chosen();
  ASSERT_TRUE(owner.ask(Ask::kForbidWriting));
  peer.forget(owner.place());
  std::byte bytes[16] = {};
  EXPECT_EQ(peer.read(bytes, owner.place(), 3, sizeof bytes).outcome, Outcome::kDone);
  EXPECT_EQ(bytes[1], pattern(4));
  EXPECT_EQ(peer.write(owner.place(), 0, bytes, sizeof bytes).outcome, Outcome::kUnmapped);
  EXPECT_TRUE(owner.ask(Ask::kCheck));
}

TEST_P(Ways, TellsOfMemoryThatIsMissingHere) {
  void* none = ::mmap(nullptr, 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  ASSERT_NE(none, MAP_FAILED);
  ASSERT_EQ(::munmap(none, 8192), 0);
  EXPECT_EQ(peer.read(none, owner.place(), 0, 8192).outcome, Outcome::kOwnMissing);
  EXPECT_EQ(peer.write(owner.place(), 0, none, 8192).outcome, Outcome::kOwnMissing);
  for (const std::uint64_t offset : {4088UL, 8UL}) {  // just ahead in its page, one way or the other
    EXPECT_EQ(peer.read(none, owner.place(), offset, 8192).outcome, Outcome::kOwnMissing);
    EXPECT_EQ(peer.write(owner.place(), offset, none, 8192).outcome, Outcome::kOwnMissing);
  }
  EXPECT_TRUE(owner.ask(Ask::kCheck));
}

TEST_P(Ways, TellsThatThePeerHasEnded) {
  expect_chosen();
  owner.end();
  std::vector<std::byte> got(4096);
  // Its memory may be there for a while in what is attached already; not what is attached now.
  EXPECT_EQ(peer.read(got.data(), owner.place(), 0, 4096).outcome, Outcome::kGone);
  EXPECT_EQ(peer.write(owner.place(), 0, got.data(), 4096).outcome, Outcome::kGone);
}

TEST_P(Ways, IsNotTakenWithAProcessThatHasEnded) {
  owner.end();
  std::byte byte{};
  EXPECT_EQ(peer.read(&byte, owner.place(), 0, 1).outcome, Outcome::kForbidden);
  EXPECT_EQ(peer.way(Direction::kRead), kNoWay);
  EXPECT_NE(peer.reason(GetParam(), Direction::kRead).why, Why::kNotTried);
}

TEST_P(Ways, ServesManyThreads) {
  constexpr int kThreads = 4;
  constexpr std::size_t kShare = kArena / kThreads;
  std::vector<std::byte> got(kArena);
  std::vector<std::thread> threads;
  for (std::size_t t = 0; t < kThreads; ++t) {
    threads.emplace_back([&, t] {
      for (std::size_t at = t * kShare; at < (t + 1) * kShare; at += 65536) {
        EXPECT_EQ(peer.read(got.data() + at, owner.place(), at, 65536).outcome, Outcome::kDone);
        EXPECT_EQ(peer.write(owner.place(), at, got.data() + at, 65536).outcome, Outcome::kDone);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (std::size_t k = 0; k < kArena; ++k) ASSERT_EQ(got[k], pattern(k)) << k;
  EXPECT_TRUE(owner.ask(Ask::kCheck));
}

INSTANTIATE_TEST_SUITE_P(All, Ways, testing::Values(Way::kXpmem, Way::kCma, Way::kKnem),
                         [](const auto& way) { return std::string(name_of(way.param)); });

}  // namespace
}  // namespace weft::reach::test
