// Members and slots: the arithmetic of teams, against lists, for all small cases.
#include "group/team.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <climits>
#include <numeric>
#include <random>
#include <set>
#include <string>
#include <thread>
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
    ASSERT_TRUE(set_up_teams());
  }
  void TearDown() override { delete_all_teams(boot::Interface::kOpenShmem); }
};

const Domain kAlone{0, 1, 1, 0, 1};

int free_stations(Use use) {
  std::vector<int> slots;
  for (int slot = claim_station(kAlone, use); slot >= 0; slot = claim_station(kAlone, use)) slots.push_back(slot);
  for (const int slot : slots) leave_station(slot, 0);
  return static_cast<int>(slots.size());
}

TEST_F(Teams, AStationIsTakenOnce) {
  std::set<int> slots;
  for (int k = 0; k < boot::kTeamSlots - kPredefinedTeams; ++k) {
    const int slot = claim_station(kAlone, Use::kTeam);
    ASSERT_GE(slot, kPredefinedTeams);
    ASSERT_FALSE(is_spare(slot));
    ASSERT_TRUE(slots.insert(slot).second) << slot;
  }
  EXPECT_EQ(claim_station(kAlone, Use::kTeam), -1);
  for (int k = 0; k < boot::kSpareSlots; ++k) {
    const int slot = claim_station(kAlone, Use::kOneCall);
    ASSERT_TRUE(is_spare(slot));
    ASSERT_FALSE(is_for_pending(slot));
    ASSERT_TRUE(slots.insert(slot).second) << slot;
  }
  EXPECT_EQ(claim_station(kAlone, Use::kOneCall), -1);
  leave_station(77, 5);
  EXPECT_EQ(claim_station(kAlone, Use::kTeam), 77);
  for (const int slot : slots) leave_station(slot, 0);
  EXPECT_EQ(free_stations(Use::kTeam), boot::kTeamSlots - kPredefinedTeams);
}

TEST_F(Teams, AStationIsFoundByItsNameOnce) {
  const int one = claim_station(kAlone, Use::kTeam);
  const int other = claim_station(kAlone, Use::kTeam);
  station(job::node().job, other, 0).service.episode.store(17);
  serve(kAlone, one, {5, 1}, 100);
  serve(kAlone, other, {5, 2}, 200);
  EXPECT_EQ(served({5, 3}), -1);
  EXPECT_EQ(served({6, 1}), -1);
  EXPECT_EQ(served({5, 2}), other);
  const Served second = accept(other);
  EXPECT_EQ(second.id, 200U);
  EXPECT_EQ(second.episode, 17U) << "what its last team has counted";
  EXPECT_EQ(served({5, 2}), -1);
  EXPECT_EQ(served({5, 1}), one);
  EXPECT_EQ(accept(one).id, 100U);
  leave_station(one, 3);
  leave_station(other, 20);
  EXPECT_EQ(station(job::node().job, other, 0).service.episode.load(), 20U);
  EXPECT_EQ(served({5, 1}), -1);
}

// Who is slow may still look for a step of the call before, at a member that has left.
TEST_F(Teams, AStationForPendingCallsCountsOn) {
  const int slot = claim_station(kAlone, Use::kPendingCall);
  ASSERT_TRUE(is_for_pending(slot));
  station(job::node().job, slot, 0).pending.step.store(70);
  leave_station(slot, 70);
  ASSERT_EQ(claim_station(kAlone, Use::kPendingCall), slot);
  serve(kAlone, slot, {5, 1}, 100);
  EXPECT_EQ(station(job::node().job, slot, 0).pending.step.load(), 70U);
  EXPECT_EQ(accept(slot).episode, 70U);
  leave_station(slot, 71);
  EXPECT_EQ(free_stations(Use::kPendingCall), boot::kPendingSlots);
}

// Threads that split different teams at a time.
TEST_F(Teams, AStationIsTakenByOneThread) {
  constexpr int kThreads = 4;
  std::vector<std::atomic<int>> users(boot::kStations);
  std::vector<std::thread> threads;
  for (int k = 0; k < kThreads; ++k) {
    threads.emplace_back([&users] {
      for (int round = 0; round < 2000; ++round) {
        const int slot = claim_station(kAlone, Use::kTeam);
        ASSERT_GE(slot, 0);
        ASSERT_EQ(users[static_cast<std::size_t>(slot)].fetch_add(1), 0);
        users[static_cast<std::size_t>(slot)].fetch_sub(1);
        leave_station(slot, 0);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(free_stations(Use::kTeam), boot::kTeamSlots - kPredefinedTeams);
}

TEST_F(Teams, AreMarkedUntilTheyAreDeleted) {
  const int slot = claim_station(kAlone, Use::kTeam);
  Team* team = new_team_of({0, 1, 1}, new_id(), boot::Interface::kOpenShmem);
  EXPECT_EQ(team->tag, kTeamTag);
  EXPECT_EQ(team->me, 0);
  EXPECT_EQ(team->slot, kNoStation);
  EXPECT_EQ(team->num_contexts, 0);
  EXPECT_FALSE(is_predefined(*team));
  use_station(*team, slot, 17);
  EXPECT_TRUE(team->steady);
  EXPECT_EQ(team->barrier.episode(), 17U);
  delete_team(*team);
  EXPECT_NE(team->tag, kTeamTag);
  EXPECT_EQ(station(job::node().job, slot, 0).service.episode.load(), 17U) << "what the next team counts from";
  EXPECT_EQ(claim_station(kAlone, Use::kTeam), slot) << "free again";
  leave_station(slot, 17);
}

TEST_F(Teams, HaveIdsOfTheirOwn) {
  std::set<std::uint64_t> ids{world().id, shared().id, set_of_all().id};
  EXPECT_EQ(ids.size(), 3U);
  for (int k = 0; k < 5000; ++k) EXPECT_TRUE(ids.insert(new_id()).second) << k;
  EXPECT_EQ(ids.count(id_of(0, kPredefinedTeams)), 0U) << "that of teams being made";
}

TEST_F(Teams, HaveIdsThatAreNobodyElsesWhenTheyBeginAnew) {
  limit_ids(6);
  std::set<std::uint64_t> ids;
  std::vector<Team*> teams;
  for (std::uint64_t id = new_id(); id != 0; id = new_id()) {
    ASSERT_LT(id, id_of(0, 64));
    ASSERT_TRUE(ids.insert(id).second) << "a team that exists has it: " << id;
    teams.push_back(new_team_of({0, 1, 1}, id, boot::Interface::kOpenShmem));
  }
  EXPECT_EQ(teams.size(), 64U - kPredefinedTeams - 1);
  const std::uint64_t freed = teams[7]->id;
  delete_team(*teams[7]);
  EXPECT_EQ(new_id(), freed) << "the only one that is left";
  limit_ids(kIdNumberBits);
  EXPECT_NE(new_id(), 0U);
}

TEST_F(Teams, AllGoTogetherAtTheEnd) {
  for (int slot = claim_station(kAlone, Use::kTeam); slot >= 0; slot = claim_station(kAlone, Use::kTeam)) {
    Team& team = *new_team_of({0, 1, 1}, new_id(), boot::Interface::kOpenShmem);
    use_station(team, slot, 0);
    ASSERT_NE(new_team_of({0, 1, 1}, new_id(), boot::Interface::kOpenShmem), nullptr);  // and one without
  }
  delete_all_teams(boot::Interface::kOpenShmem);
  EXPECT_EQ(free_stations(Use::kTeam), boot::kTeamSlots - kPredefinedTeams);
}

TEST_F(Teams, OfOtherFrontEndsStay) {
  constexpr boot::Interface kOther{boot::kInterfaces - 1};
  Team* theirs[2];
  for (Team*& team : theirs) {
    ASSERT_NE(new_team_of({0, 1, 1}, new_id(), boot::Interface::kOpenShmem), nullptr);
    team = new_team_of({0, 1, 1}, new_id(), kOther);
  }
  Team* own = new_team_of({0, 1, 1}, new_id(), boot::Interface::kOpenShmem);
  delete_all_teams(boot::Interface::kOpenShmem);
  EXPECT_NE(own->tag, kTeamTag);
  for (const Team* team : theirs) EXPECT_EQ(team->tag, kTeamTag);
  delete_all_teams(kOther);
  for (const Team* team : theirs) EXPECT_NE(team->tag, kTeamTag);
}

}  // namespace
}  // namespace weft::group
