#include "msg/claims.hpp"

#include <gtest/gtest.h>

#include <thread>
#include <vector>

namespace {

using weft::msg::Claims;

std::vector<int> counts_of(std::uint32_t pieces, bool receiver, bool sender) {
  std::atomic<std::uint64_t> word{0};
  std::vector<std::atomic<int>> taken(pieces);
  const auto take_all = [&](auto&& next) {
    Claims claims(word, pieces);
    for (Claims::Run run = next(claims); !run.empty(); run = next(claims)) {
      for (std::uint32_t k = run.begin; k < run.end; ++k) {
        ++taken[k];
      }
    }
  };
  std::thread of_sender([&] {
    if (sender) {
      take_all([](Claims& claims) { return claims.take_last(); });
    }
  });
  if (receiver) {
    take_all([](Claims& claims) { return claims.take_first(); });
  }
  of_sender.join();
  return {taken.begin(), taken.end()};
}

TEST(Claims, EachPieceIsTakenOnce) {
  for (const std::uint32_t pieces : {1U, 2U, 3U, 7U, 64U, 1000U, 100000U}) {
    const std::vector<int> once(pieces, 1);
    EXPECT_EQ(counts_of(pieces, true, true), once) << pieces;
    EXPECT_EQ(counts_of(pieces, true, false), once) << "by the receiver alone, " << pieces;
    EXPECT_EQ(counts_of(pieces, false, true), once) << "by the sender alone, " << pieces;
  }
}

TEST(Claims, EachSideTakesAHalfWhereBothAreThere) {
  std::atomic<std::uint64_t> word{0};
  Claims claims(word, 16);
  const Claims::Run first = claims.take_first();
  EXPECT_EQ(first.begin, 0U);
  EXPECT_EQ(first.end, 8U);
  const Claims::Run last = claims.take_last();
  EXPECT_EQ(last.begin, 8U);
  EXPECT_EQ(last.end, 16U);
  EXPECT_TRUE(claims.take_first().empty());
  EXPECT_TRUE(claims.take_last().empty());
}

TEST(Claims, WhoComesLateTakesWhatIsLeft) {
  std::atomic<std::uint64_t> word{0};
  Claims claims(word, 16);
  const Claims::Run half = claims.take_first();
  const Claims::Run more = claims.take_first();
  EXPECT_EQ(more.begin, half.end);
  EXPECT_LT(more.end, 16U) << "the sender may come yet";
  const Claims::Run last = claims.take_last();
  EXPECT_EQ(last.begin, more.end);
  EXPECT_EQ(last.end, 16U);
}

TEST(Claims, NobodyTakesBehindTheEnd) {
  std::atomic<std::uint64_t> word{0};
  Claims claims(word, 100);
  (void)claims.take_first();
  const Claims::Run last = claims.take_last();
  claims.close();
  EXPECT_TRUE(claims.take_first().empty());
  EXPECT_TRUE(claims.take_last().empty());
  EXPECT_EQ(claims.last_ones(), last.end - last.begin);
}

TEST(Claims, WordsThatCannotBeGiveNothingOutside) {
  for (const std::uint64_t garbage :
       {UINT64_MAX, UINT64_MAX >> 1, std::uint64_t{1} << 40, std::uint64_t{9}, std::uint64_t{UINT32_MAX}}) {
    std::atomic<std::uint64_t> word{garbage};
    Claims claims(word, 10);
    EXPECT_LE(claims.last_ones(), 10U);
    const Claims::Run first = claims.take_first();
    const Claims::Run last = claims.take_last();
    EXPECT_LE(first.begin, first.end);
    EXPECT_LE(first.end, 10U);
    EXPECT_LE(last.begin, last.end);
    EXPECT_LE(last.end, 10U);
  }
}

}  // namespace
