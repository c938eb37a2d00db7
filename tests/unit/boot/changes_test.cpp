#include "boot/changes.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <vector>

namespace weft::boot {
namespace {

using Bytes = std::vector<std::byte>;

template <std::size_t n>
Bytes changes(const std::uint64_t (&before)[n], const std::uint64_t (&now)[n]) {
  Bytes bytes(most_changes(sizeof now));
  bytes.resize(put_changes(before, now, sizeof now, bytes.data()));
  return bytes;
}

TEST(Changes, OnlyWordsThatDifferAreSent) {
  std::uint64_t before[6] = {1, 2, 3, 4, 5, 6};
  const std::uint64_t now[6] = {1, 9, 8, 4, 5, 7};
  const Bytes bytes = changes(before, now);
  EXPECT_EQ(bytes.size(), 1 + 2 * 2 + 3 * kChangedWord);
  EXPECT_EQ(take_changes(bytes.data(), bytes.data() + bytes.size(), before, sizeof before),
            bytes.data() + bytes.size());
  EXPECT_TRUE(std::equal(std::begin(before), std::end(before), now));
  EXPECT_EQ(changes(before, now), Bytes(1));
}

TEST(Changes, FitIntoTheirRoom) {
  const std::uint64_t before[5] = {};
  EXPECT_EQ(changes(before, {1, 0, 1, 0, 1}).size(), 1 + 3 * (2 + kChangedWord));
  EXPECT_LE(changes(before, {1, 0, 1, 0, 1}).size(), most_changes(sizeof before));
  EXPECT_LE(changes(before, {1, 1, 1, 1, 1}).size(), most_changes(sizeof before));
}

TEST(Changes, WhatIsCutOrBeyondTheEndIsDamaged) {
  std::uint64_t words[4] = {};
  const Bytes bytes = changes(words, {0, 0, 1, 2});
  for (std::size_t length = 0; length < bytes.size(); ++length) {
    EXPECT_EQ(take_changes(bytes.data(), bytes.data() + length, words, sizeof words), nullptr) << length;
  }
  EXPECT_EQ(take_changes(bytes.data(), bytes.data() + bytes.size(), words, 3 * kChangedWord), nullptr);
}

TEST(Changes, CardsKeepTheirPlaces) {
  PeerCard given[3]{};
  given[0].program = given[2].program = 7;
  given[2].keys[1] = 9;
  given[2].node = 4;
  PeerCard table[3]{};
  table[2].node = 5;
  table[1].program = 1;
  const std::int32_t pes[] = {0, 2};
  std::byte bytes[2 * kMostPackedCard];
  const std::size_t count = pack_cards(given, pes, bytes);
  EXPECT_EQ(count, 2 * (1 + 2 + kChangedWord));
  ASSERT_TRUE(unpack_cards({bytes, count}, table, pes));
  EXPECT_EQ(table[2].node, 5U);
  EXPECT_EQ(table[2].program, 7U);
  EXPECT_EQ(table[2].keys[1], 9U);
  EXPECT_EQ(table[1].program, 1U);
  EXPECT_FALSE(unpack_cards({bytes, count - 1}, table, pes)) << "cut off";
  EXPECT_FALSE(unpack_cards({bytes, count}, table, {pes, 1})) << "more than the cards";
}

}  // namespace
}  // namespace weft::boot
