// How members on several nodes are divided.
#include "group/domains.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <random>
#include <vector>

namespace weft::group {
namespace {

// Ends what a division made, and a table of the members.
class Divided {
 public:
  explicit Divided(const Seats& seats) : seats_(seats) {}
  ~Divided() { delete_seats(seats_.span, seats_.tables); }
  Divided(const Divided&) = delete;
  Divided& operator=(const Divided&) = delete;

 private:
  Seats seats_;
};

// The node of each PE of a job; numbers on a node are in the order of the PEs.
std::vector<boot::PeerCard> cards_of(const std::vector<unsigned>& nodes) {
  std::vector<boot::PeerCard> cards(nodes.size());
  std::vector<unsigned> next(nodes.size(), 0);
  for (std::size_t pe = 0; pe < nodes.size(); ++pe) {
    cards[pe].node = nodes[pe];
    cards[pe].local = next[nodes[pe]]++;
  }
  return cards;
}

Seats divided(const Members& members, int pe, const std::vector<boot::PeerCard>& cards, int n_nodes) {
  Seats seats;
  EXPECT_TRUE(divide(members, pe, cards.data(), n_nodes, &seats));
  return seats;
}

// All that has to be so of any division, as each member sees it.
void check(const std::vector<unsigned>& nodes, const Members& members, int domains) {
  const auto cards = cards_of(nodes);
  for (int number = 0; number < members.size; ++number) {
    const Seats seats = divided(members, members.pe(number), cards, static_cast<int>(nodes.size()));
    const Divided ends(seats);
    const Span* span = seats.span;
    EXPECT_EQ(seats.here.member(seats.seat), number);
    EXPECT_EQ(span ? span->count : 1, domains);
    std::vector<int> seen(static_cast<std::size_t>(members.size), 0);
    for (int k = 0; k < domains; ++k) {
      const Domain& domain = span ? span->domains[k] : seats.here;
      const auto node = cards[static_cast<std::size_t>(members.pe(domain.first))].node;
      for (int seat = 0; seat < domain.size; ++seat) {
        const int member = domain.member(seat);
        const auto& card = cards[static_cast<std::size_t>(members.pe(member))];
        EXPECT_EQ(domain.seat(member), seat);
        EXPECT_EQ(card.node, node);
        EXPECT_EQ(static_cast<int>(card.local), domain.place(seat));
        ++seen[static_cast<std::size_t>(member)];
        EXPECT_EQ(span ? span->find(member) : 0, k);
      }
      EXPECT_TRUE(k == 0 || span->domains[k - 1].first < domain.first);
    }
    EXPECT_EQ(seen, std::vector<int>(static_cast<std::size_t>(members.size), 1));
    EXPECT_TRUE(!span || span->domains[span->mine].member(seats.seat) == number);
  }
}

bool in_order(const std::vector<unsigned>& nodes, const Members& members) {
  const auto cards = cards_of(nodes);
  const Seats seats = divided(members, members.pe(0), cards, static_cast<int>(nodes.size()));
  const Divided ends(seats);
  const Span* span = seats.span;
  return span->in_order;
}

const std::vector<unsigned> kBlocks = {0, 0, 0, 1, 1, 2, 2, 2};
const std::vector<unsigned> kCyclic = {0, 1, 2, 0, 1, 2, 0, 1};
const std::vector<unsigned> kAnyhow = {1, 0, 0, 1, 2, 0, 1, 1, 0, 0};

TEST(Domains, AreTheNodesWhereThoseHaveBlocks) {
  check(kBlocks, {0, 1, 8}, 3);
  check(kBlocks, {7, -1, 8}, 3);
  check(kBlocks, {0, 2, 4}, 3);
  check(kBlocks, {1, 3, 3}, 3);
  EXPECT_TRUE(in_order(kBlocks, {0, 1, 8}));
  EXPECT_TRUE(in_order(kBlocks, {7, -1, 8}));
  EXPECT_TRUE(in_order(kBlocks, {0, 2, 4}));
}

TEST(Domains, AreTheNodesWhereThoseHaveEveryNthPe) {
  check(kCyclic, {0, 1, 8}, 3);
  check(kCyclic, {7, -1, 8}, 3);
  check(kCyclic, {1, 2, 4}, 3);
  EXPECT_FALSE(in_order(kCyclic, {0, 1, 8}));
}

TEST(Domains, AreTheNodesWhereRunsDiffer) {
  std::vector<unsigned> nodes;
  for (unsigned node = 0; node < 9; ++node) nodes.insert(nodes.end(), std::size_t{1} + node * 5 % 7, node);
  nodes.insert(nodes.end(), {3, 3, 0, 8, 8, 8});  // some once more
  for (const int stride : {1, 2, 3, 4}) {
    const int size = (static_cast<int>(nodes.size()) + stride - 1) / stride;
    std::vector<unsigned> met;
    for (int k = 0; k < size; ++k) met.push_back(nodes[static_cast<std::size_t>(k * stride)]);
    std::sort(met.begin(), met.end());
    check(nodes, {0, stride, size}, static_cast<int>(std::unique(met.begin(), met.end()) - met.begin()));
  }
}

// A card that is not looked at may hold anything.
TEST(Domains, OfBlocksFewCardsAreLookedAt) {
  constexpr int kNodes = 20;
  constexpr int kEach = 128;
  std::vector<unsigned> nodes;
  for (unsigned node = 0; node < kNodes; ++node) nodes.insert(nodes.end(), kEach, node);
  auto cards = cards_of(nodes);
  int spoilt = 0;
  for (int node = 0; node < kNodes; ++node) {
    for (int local = 70; local < 90; ++local, ++spoilt) {
      cards[static_cast<std::size_t>(node * kEach + local)].node = static_cast<unsigned>((node + 1) % kNodes);
    }
  }
  ASSERT_GT(spoilt, 0);
  const Members members{0, 1, kNodes * kEach};
  const Seats seats = divided(members, 5, cards, kNodes);
  const Divided ends(seats);
  ASSERT_NE(seats.span, nullptr);
  EXPECT_EQ(seats.span->count, kNodes);
  for (int k = 0; k < kNodes; ++k) {
    EXPECT_EQ(seats.span->domains[k].first, k * kEach);
    EXPECT_EQ(seats.span->domains[k].size, kEach);
  }
}

TEST(Domains, AreOneWhereAllMembersAreOnOneNode) {
  check(kBlocks, {5, 1, 3}, 1);
  check(kCyclic, {0, 3, 3}, 1);
  check(kCyclic, {4, 8, 1}, 1);
}

TEST(Domains, AreTheNodesAlsoWhereThoseHaveNoRule) {
  check(kAnyhow, {0, 1, 10}, 3);
  check(kAnyhow, {9, -1, 10}, 3);
  EXPECT_FALSE(in_order(kAnyhow, {0, 1, 10}));
}

// Members without a rule, on nodes with and without one.
TEST(Domains, AreTheNodesOfMembersInAnyOrder) {
  std::mt19937 random(5);
  for (const auto* nodes : {&kBlocks, &kCyclic, &kAnyhow}) {
    std::vector<int> pes(nodes->size());
    std::iota(pes.begin(), pes.end(), 0);
    for (int round = 0; round < 50; ++round) {
      std::shuffle(pes.begin(), pes.end(), random);
      const int size = 1 + static_cast<int>(random() % pes.size());
      std::vector<unsigned> used;
      for (int k = 0; k < size; ++k)
        used.push_back((*nodes)[static_cast<std::size_t>(pes[static_cast<std::size_t>(k)])]);
      std::sort(used.begin(), used.end());
      const auto domains = std::unique(used.begin(), used.end()) - used.begin();
      const auto members = members_of(pes.data(), size);
      ASSERT_TRUE(members);
      check(*nodes, *members, static_cast<int>(domains));
      members->drop();
    }
  }
}

TEST(Domains, CoverAllPatternsOfAFewNodes) {
  for (unsigned pattern = 0; pattern < 729; ++pattern) {
    std::vector<unsigned> nodes;
    for (unsigned k = 0, rest = pattern; k < 6; ++k, rest /= 3) nodes.push_back(rest % 3);
    const auto cards = cards_of(nodes);
    for (const Members members : {Members{0, 1, 6}, Members{5, -1, 6}, Members{0, 2, 3}, Members{1, 4, 2}}) {
      const Seats seats = divided(members, members.pe(0), cards, 3);
      const int domains = seats.span == nullptr ? 1 : seats.span->count;
      delete_seats(seats.span, seats.tables);
      check(nodes, members, domains);
    }
  }
}

}  // namespace
}  // namespace weft::group
