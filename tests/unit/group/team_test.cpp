// Members and slots: the arithmetic of teams, against lists, for all small cases.
#include "group/team.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <climits>
#include <numeric>
#include <random>
#include <string>
#include <vector>

#include "group/stations.hpp"
#include "job/node.hpp"
#include "support/job_of_one.hpp"

namespace weft::group {
namespace {

using List = std::vector<int>;

List list_of(const Members& members) {
  List list;
  for (int k = 0; k < members.size; ++k) list.push_back(members.pe(k));
  return list;
}

// Counted out; empty when one of them does not exist.
List pick(const List& from, int first, int step, int count) {
  List list;
  for (int k = 0, at = first; k < count; ++k, at += step) {
    if (at < 0 || at >= static_cast<int>(from.size())) return {};
    list.push_back(from[at]);
  }
  return list;
}

int index_in(const List& list, int pe) {
  for (std::size_t k = 0; k < list.size(); ++k)
    if (list[k] == pe) return static_cast<int>(k);
  return -1;
}

void expect_alike(const Members& members, const List& list, int pes) {
  ASSERT_EQ(list_of(members), list);
  for (int pe = -2; pe < pes + 2; ++pe) {
    ASSERT_EQ(members.find(pe), index_in(list, pe))
        << "PE " << pe << " of " << members.start << " " << members.stride << " " << members.size;
  }
}

// Each part of a team with the list it should be; parts of those down to `depth`.
void all_parts(const Members& members, const List& list, int pes, int depth) {
  expect_alike(members, list, pes);
  if (depth == 0 || testing::Test::HasFatalFailure()) return;
  for (int first = 0; first < members.size; ++first)
    for (int step = -members.size; step <= members.size; ++step)
      for (int count = 1; count <= members.size; ++count) {
        const List part = pick(list, first, step, count);
        if (part.empty() || (step == 0 && count > 1)) continue;
        all_parts(members.part(first, step, count), part, pes, depth - 1);
      }
}

TEST(Members, AreThoseThatCountingFinds) {
  for (int n = 1; n <= 9; ++n) all_parts({0, 1, n}, list_of({0, 1, n}), n, 2);
  all_parts({0, 1, 6}, list_of({0, 1, 6}), 6, 3);
}

TEST(Members, OfNobodyFindNobody) {
  for (int pe = -3; pe < 4; ++pe) EXPECT_EQ(Members{}.find(pe), -1) << pe;
}

// Any stride is allowed for one PE, and products of strides would overflow.
TEST(Members, OneAloneForgetsTheStrideItWasGiven) {
  const Members back{7, -2, 4};
  for (const int step : {0, 5, -5, INT_MAX, INT_MIN}) {
    const Members one = back.part(2, step, 1);
    EXPECT_EQ(one, (Members{3, 1, 1})) << step;
    EXPECT_EQ(one.find(3), 0);
    for (const int pe : {-1, 0, 2, 4, 7}) EXPECT_EQ(one.find(pe), -1) << step << " " << pe;
    EXPECT_EQ(one.part(0, step, 1), one);
  }
}

// As a list, whatever the order; and a progression where it is one.
TEST(Members, OfATableAreThoseOfTheList) {
  std::mt19937 random(3);
  List pes(40);
  std::iota(pes.begin(), pes.end(), 0);
  for (int round = 0; round < 100; ++round) {
    std::shuffle(pes.begin(), pes.end(), random);
    const List list(pes.begin(), pes.begin() + static_cast<int>(random() % pes.size()));
    const auto members = members_of(list.data(), static_cast<int>(list.size()));
    ASSERT_TRUE(members);
    expect_alike(*members, list, 40);
    const auto again = members_of(list.data(), static_cast<int>(list.size()));
    ASSERT_TRUE(again);
    EXPECT_EQ(*members, *again);
    again->drop();
    members->drop();
  }
}

TEST(Members, OfAnEvenListHaveNoTable) {
  for (const Members even : {Members{0, 1, 5}, Members{9, -3, 4}, Members{7, 1, 1}, Members{2, 5, 2}, Members{}}) {
    const List list = list_of(even);
    const auto members = members_of(list.data(), static_cast<int>(list.size()));
    ASSERT_TRUE(members);
    EXPECT_EQ(*members, even);
  }
}

TEST(Members, AreNotThereTwice) {
  for (const List& list : {List{4, 1, 1}, List{2, 2}, List{3, 3, 3}, List{0, 1, 2, 3, 5, 1}}) {
    const auto members = members_of(list.data(), static_cast<int>(list.size()));
    ASSERT_FALSE(members);
    EXPECT_STREQ(members.error().text(), ("PE " + std::to_string(list[1]) + " is there twice").c_str());
  }
}

TEST(Members, OfATableLastAsLongAsSomebodyKeepsThem) {
  const int pes[] = {5, 2, 9};
  const auto members = members_of(pes, 3);
  ASSERT_TRUE(members);
  members->keep();
  members->drop();
  EXPECT_EQ(members->find(9), 2);
  members->drop();  // the address sanitizer knows whether this was the last
}

// A job of one PE, this process.
class Teams : public testing::Test {
 protected:
  void SetUp() override {
    test::be_alone();
    set_up_teams();
  }
  void TearDown() override { delete_all_teams(); }
};

TEST_F(Teams, ASlotIsTakenOnce) {
  for (const int slot : {kPredefinedTeams, 63, 64, 127, boot::kTeamSlots - 1}) {
    EXPECT_TRUE(take_slot(slot)) << slot;
    EXPECT_FALSE(take_slot(slot)) << slot;
    EXPECT_NE(taken_slots(slot / 64) & (std::uint64_t{1} << (slot % 64)), 0U) << slot;
    give_slot_back(slot);
    EXPECT_EQ(taken_slots(slot / 64) & (std::uint64_t{1} << (slot % 64)), 0U) << slot;
    EXPECT_TRUE(take_slot(slot)) << slot;
    give_slot_back(slot);
  }
  EXPECT_FALSE(take_slot(0)) << "WORLD's";
  EXPECT_FALSE(take_slot(1)) << "SHARED's";
  EXPECT_FALSE(take_slot(2)) << "the active set's of all PEs";
}

TEST_F(Teams, AreMarkedUntilTheyAreDeleted) {
  ASSERT_TRUE(take_slot(5));
  Team* team = new_team();
  set_up_team(*team, {0, 1, 1}, seats_of({0, 1, 1}), 5, 17);
  EXPECT_EQ(team->tag, kTeamTag);
  EXPECT_EQ(team->me, 0);
  EXPECT_EQ(team->barrier.episode(), 17U);
  EXPECT_EQ(team->num_contexts, 0);
  EXPECT_FALSE(is_predefined(*team));
  delete_team(*team);
  EXPECT_NE(team->tag, kTeamTag);
  EXPECT_EQ(station(job::node().job, 5, 0).split.episode.load(), 17U) << "what the next team counts from";
  EXPECT_TRUE(take_slot(5)) << "free again";
  give_slot_back(5);
}

TEST_F(Teams, AllGoTogetherAtTheEnd) {
  for (int slot = kPredefinedTeams; slot < boot::kTeamSlots; ++slot) {
    ASSERT_TRUE(take_slot(slot));
    set_up_team(*new_team(), {0, 1, 1}, seats_of({0, 1, 1}), slot, 0);
  }
  delete_all_teams();
  for (int word = 0; word < boot::kTeamSlots / 64; ++word) EXPECT_EQ(taken_slots(word), word == 0 ? 7U : 0U) << word;
}

}  // namespace
}  // namespace weft::group
