#include "pmi/grouping.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace weft::pmi {
namespace {

struct Grouped {
  int nodes = -1;
  std::vector<Place> places;
};

Grouped grouped(const std::vector<std::int32_t>& leaders) {
  Grouped found;
  found.places.resize(leaders.size());
  const auto nodes = group(leaders.data(), static_cast<int>(leaders.size()), found.places.data());
  if (nodes) found.nodes = *nodes;
  return found;
}

void expect_places(const Grouped& found, const std::vector<std::pair<int, int>>& wanted) {
  ASSERT_EQ(found.places.size(), wanted.size());
  for (std::size_t pe = 0; pe < wanted.size(); ++pe) {
    EXPECT_EQ(found.places[pe].node, wanted[pe].first) << pe;
    EXPECT_EQ(found.places[pe].local, wanted[pe].second) << pe;
  }
}

TEST(Grouping, OneNode) {
  const Grouped found = grouped({0, 0, 0});
  EXPECT_EQ(found.nodes, 1);
  expect_places(found, {{0, 0}, {0, 1}, {0, 2}});
}

TEST(Grouping, BlocksAndRounds) {
  const Grouped blocks = grouped({0, 0, 2, 2, 4});
  EXPECT_EQ(blocks.nodes, 3);
  expect_places(blocks, {{0, 0}, {0, 1}, {1, 0}, {1, 1}, {2, 0}});
  const Grouped rounds = grouped({0, 1, 0, 1, 0});
  EXPECT_EQ(rounds.nodes, 2);
  expect_places(rounds, {{0, 0}, {1, 0}, {0, 1}, {1, 1}, {0, 2}});
}

TEST(Grouping, RefusesWhatContradictsItself) {
  EXPECT_EQ(grouped({0, 0, 1}).nodes, -1);  // PE 1 leads nobody
  EXPECT_EQ(grouped({1, 1}).nodes, -1);     // a leader is the lowest
  EXPECT_EQ(grouped({0, -1}).nodes, -1);
  EXPECT_EQ(grouped({0, 7}).nodes, -1);
}

}  // namespace
}  // namespace weft::pmi
