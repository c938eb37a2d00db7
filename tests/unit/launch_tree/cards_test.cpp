#include "launch/tree/cards.hpp"

#include <gtest/gtest.h>

#include <cstdio>
#include <cstring>
#include <string>
#include <vector>

namespace weft::launch::tree {
namespace {

using boot::PeerCard;
using Taken = Cards::Taken;

/// Three nodes: PEs 0 and 3, 1 and 4, 2.
class CardsTest : public testing::Test {
 protected:
  static constexpr std::size_t kPes = 5;
  using Table = std::vector<PeerCard>;

  static Table places() {
    Table table(kPes);
    for (unsigned pe = 0; pe < kPes; ++pe) {
      table[pe].node = pe % 3;
      table[pe].local = pe / 3;
    }
    return table;
  }
  void SetUp() override {
    for (unsigned pe = 0; pe < kPes; ++pe) {
      filled[pe].program = 77;
      filled[pe].keys[0] = 100 + pe;
      std::snprintf(filled[pe].host, sizeof filled[pe].host, "node%u", pe % 3);
    }
  }
  std::string piece(std::uint32_t node) const { return cards_of_node(node, pack_cards(filled.data(), pes[node])); }
  Taken take(const std::string& bytes) {
    return cards.take(bytes, got.data(), [&](std::size_t node) -> const std::vector<int>& { return pes[node]; });
  }

  const std::vector<std::vector<int>> pes = {{0, 3}, {1, 4}, {2}};
  Table filled = places();
  Table got = places();
  Cards cards{3};
};

TEST_F(CardsTest, ComeNodeByNodeInEachRound) {
  for (int round = 0; round < 2; ++round) {
    const Table before = got;
    EXPECT_EQ(take(piece(2)), Taken::kSome);
    EXPECT_EQ(take(piece(0)), Taken::kSome);
    EXPECT_EQ(std::memcmp(got.data(), before.data(), sizeof(PeerCard) * kPes), 0) << "it is read still";
    EXPECT_EQ(take(piece(1)), Taken::kAll);
    for (std::size_t pe = 0; pe < kPes; ++pe) {
      EXPECT_EQ(got[pe].node, pe % 3);
      EXPECT_EQ(got[pe].local, pe / 3);
      EXPECT_EQ(got[pe].keys[0], filled[pe].keys[0]);
      EXPECT_STREQ(got[pe].host, filled[pe].host);
      filled[pe].keys[0] += 1000;
    }
  }
}

TEST_F(CardsTest, MayGoIntoTheTableAtOnce) {
  cards = Cards(3, true);
  EXPECT_EQ(take(piece(2)), Taken::kSome);
  EXPECT_EQ(got[2].keys[0], 102U);
  EXPECT_EQ(take(piece(1) + "x"), Taken::kDamaged);
}

TEST_F(CardsTest, OfANeighbourOnlyWhatDiffersIsSent) {
  EXPECT_LT(pack_cards(filled.data(), {0, 3}).size(), pack_cards(filled.data(), {0}).size() + 16);
}

TEST_F(CardsTest, WhatCannotBeIsDamaged) {
  EXPECT_EQ(take(cards_of_node(3, "")), Taken::kDamaged) << "there is no such node";
  EXPECT_EQ(take("x"), Taken::kDamaged);
  EXPECT_EQ(take(piece(0)), Taken::kSome);
  EXPECT_EQ(take(piece(0)), Taken::kDamaged) << "before the others'";
  EXPECT_EQ(take(piece(1).substr(0, 20)), Taken::kSome);
  EXPECT_EQ(take(piece(2)), Taken::kDamaged) << "of a piece that was cut";
}

}  // namespace
}  // namespace weft::launch::tree
