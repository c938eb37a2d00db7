#include "pmi/grouping.hpp"

#include <gtest/gtest.h>

#include <utility>
#include <vector>

namespace weft::pmi {
namespace {

using Runs = std::vector<boot::Run>;

Runs runs_of(const std::vector<std::int32_t>& pes) {
  Runs runs(pes.size());
  runs.resize(static_cast<std::size_t>(boot::make_runs(pes.data(), static_cast<int>(pes.size()), runs.data())));
  return runs;
}

/// Node and number there of each of n PEs; none where the nodes, by their first PEs, contradict each other.
std::vector<std::pair<int, int>> grouped(int n, const std::vector<Runs>& nodes) {
  std::vector<Place> places(static_cast<std::size_t>(n));
  Grouping grouping(places.data(), n);
  for (const Runs& node : nodes) {
    if (grouping.next_first() == n) return {};
    grouping.begin_node();
    for (const boot::Run& run : node) {
      if (!grouping.add(run)) return {};
    }
  }
  if (grouping.next_first() != n || grouping.nodes() != static_cast<int>(nodes.size())) return {};
  std::vector<std::pair<int, int>> found;
  for (const Place& place : places) found.emplace_back(place.node, place.local);
  return found;
}

using Places = std::vector<std::pair<int, int>>;

TEST(Grouping, RunsOfPes) {
  EXPECT_EQ(runs_of({0, 1, 2, 3}), (Runs{{0, 1, 4}}));
  EXPECT_EQ(runs_of({1, 4, 7}), (Runs{{1, 3, 3}}));
  EXPECT_EQ(runs_of({2}), (Runs{{2, 1, 1}}));
  EXPECT_EQ(runs_of({0, 1, 4, 5}), (Runs{{0, 1, 2}, {4, 1, 2}}));
  EXPECT_EQ(runs_of({}), Runs{});
}

TEST(Grouping, OneNode) { EXPECT_EQ(grouped(3, {{{0, 1, 3}}}), (Places{{0, 0}, {0, 1}, {0, 2}})); }

TEST(Grouping, BlocksAndRounds) {
  EXPECT_EQ(grouped(5, {{{0, 1, 2}}, {{2, 1, 2}}, {{4, 1, 1}}}), (Places{{0, 0}, {0, 1}, {1, 0}, {1, 1}, {2, 0}}));
  EXPECT_EQ(grouped(5, {{{0, 2, 3}}, {{1, 2, 2}}}), (Places{{0, 0}, {1, 0}, {0, 1}, {1, 1}, {0, 2}}));
  EXPECT_EQ(grouped(4, {{{0, 1, 1}, {2, 1, 2}}, {{1, 1, 1}}}), (Places{{0, 0}, {1, 0}, {0, 1}, {0, 2}}));
}

TEST(Grouping, RefusesWhatContradictsItself) {
  EXPECT_TRUE(grouped(3, {{{0, 1, 2}}, {{1, 1, 2}}}).empty()) << "the next node begins with PE 2";
  EXPECT_TRUE(grouped(3, {{{0, 2, 2}}, {{1, 1, 2}}}).empty()) << "PE 2 is of two";
  EXPECT_TRUE(grouped(3, {{{0, 1, 4}}}).empty());
  EXPECT_TRUE(grouped(3, {{{0, 0, 3}}}).empty());
  EXPECT_TRUE(grouped(3, {{{0, 1, -1}}}).empty());
  EXPECT_TRUE(grouped(3, {{{0, 1, 2}, {1, 1, 2}}}).empty()) << "not rising";
  EXPECT_TRUE(grouped(3, {{{0, 2'000'000'000, 3}}}).empty());
  EXPECT_TRUE(grouped(3, {{{0, 1, 2}}}).empty()) << "PE 2 is of none";
}

}  // namespace
}  // namespace weft::pmi
