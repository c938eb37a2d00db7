// How the steps of collective calls are counted over a long life. One PE, this process.
#include "coll/party.hpp"

#include <gtest/gtest.h>

#include <cstring>
#include <set>

#include "coll/short.hpp"
#include "coll/split.hpp"
#include "job/node.hpp"
#include "job/shared_area.hpp"
#include "support/job_of_one.hpp"

namespace weft::coll {
namespace {

constexpr std::uint64_t kSteps = std::uint64_t{1} << 32;  // of a call

class Steps : public testing::TestWithParam<Party::Kind> {
 protected:
  void SetUp() override {
    test::be_alone();
    ASSERT_TRUE(group::set_up_teams());
  }
  void TearDown() override { group::delete_all_teams(boot::Interface::kOpenShmem); }

  static bool blocking() { return GetParam() == Party::Kind::kBlocking; }
  static std::uint64_t& count(group::Team& team) { return blocking() ? team.step : team.pending_step; }
  static std::atomic<std::uint64_t>& shown(const group::Team& team) {
    group::Station& station = group::station(job::node().job, team.slot, 0);
    return blocking() ? station.meeting.step : station.pending.step;
  }
  // As another member would see it that waits for the first step of the next call.
  static bool seems_to_have_come(group::Team& team) {
    return static_cast<std::int64_t>(shown(team).load() - (count(team) + 1)) >= 0;
  }
};

// A broadcast's receiver does not.
TEST_P(Steps, OfAMemberThatNeverPostsDoNotFallFarBehind) {
  group::Team& team = group::world();
  std::uint64_t most = 0;
  for (int call = 0; call < (3 << 20); ++call) {
    const Party party(team, GetParam());
    most = std::max(most, count(team) - shown(team).load());
  }
  EXPECT_LE(most, (std::uint64_t{1} << 20) * kSteps);
  EXPECT_FALSE(seems_to_have_come(team));
  count(team) = 0 - kSteps;  // the next call is the last before the count wraps
  shown(team).store(count(team) - 5 * kSteps);
  for (int call = 0; call < 3; ++call) {
    const Party party(team, GetParam());
    ASSERT_FALSE(seems_to_have_come(team)) << call;
  }
}

// Nor do those of what it handed out long ago.
TEST(Handouts, DoNotFallFarBehind) {
  test::be_alone();
  ASSERT_TRUE(group::set_up_teams());
  group::Team& team = group::world();
  const auto next = [&team] {
    return static_cast<std::int64_t>(group::station(job::node().job, team.slot, 0).handouts[0].step.load() -
                                     (team.step + 1));
  };
  {
    Party party(team);
    ASSERT_TRUE(party.may_hand_out(120));
    ASSERT_FALSE(party.may_hand_out(121));
    party.hand_out("x", 1);
  }
  for (std::uint64_t calls = 0; calls < 5; ++calls) {
    team.step = (calls << 62) - kSteps;  // the next call is one that shows the count
    { const Party party(team); }
    // Nor does it believe for ever that all have taken what they took long ago.
    ASSERT_LT(static_cast<std::int64_t>(team.all_came_to - team.step), 0);
  }
  EXPECT_LT(next(), 0);
  group::delete_all_teams(boot::Interface::kOpenShmem);
}

// Nor the lines that it showed in a call of some bytes, which a call that shows its count is not.
TEST(Lines, DoNotFallFarBehind) {
  test::be_alone();
  ASSERT_TRUE(group::set_up_teams());
  group::Team& team = group::world();
  const char bytes[kMostInLines] = "x";
  char there[kMostInLines] = "";
  for (int turn = 0; turn < 2; ++turn) {
    ASSERT_TRUE(goes_in_lines(team, sizeof bytes));
    ASSERT_FALSE(goes_in_lines(team, sizeof bytes + 1));
    gather_in_lines(team, there, bytes, sizeof bytes);
    EXPECT_EQ(std::memcmp(there, bytes, sizeof bytes), 0);
  }
  for (std::uint64_t calls = 0; calls < 5; ++calls) {
    team.step = (calls << 62) - kSteps;  // the next call is one that shows the count
    ASSERT_FALSE(goes_in_lines(team, 1));
    { const Party party(team); }
    for (const auto& turn : group::station(job::node().job, team.slot, 0).further) {
      for (const group::Shown& line : turn) {
        ASSERT_LT(static_cast<std::int64_t>(line.step.load() - (team.step + 1)), 0) << calls;
      }
    }
  }
  group::delete_all_teams(boot::Interface::kOpenShmem);
}

// However many calls the slot's last team has made.
TEST_P(Steps, OfANewTeamAreAheadOfItsMembers) {
  for (const std::uint64_t calls :
       {1ULL, 1ULL << 30, (1ULL << 31) - 1, (1ULL << 31) + 2, 3ULL << 30, (1ULL << 32) - 1}) {
    group::Team* last = nullptr;
    ASSERT_TRUE(make_teams(group::world(), {0, 1, 1}, boot::Interface::kOpenShmem, &last));
    const int slot = last->slot;
    count(*last) += calls * kSteps;
    destroy_team(*last);
    group::Team* next = nullptr;
    ASSERT_TRUE(make_teams(group::world(), {0, 1, 1}, boot::Interface::kOpenShmem, &next));
    EXPECT_EQ(next->slot, slot);
    EXPECT_FALSE(seems_to_have_come(*next)) << calls;
    {
      Party party(*next, GetParam());
      party.post(1);
      EXPECT_TRUE(party.has_come(0, 1));
    }
    destroy_team(*next);
    // The member's own words may be older than what its team has counted, and newer.
    ASSERT_TRUE(make_teams(group::world(), {0, 1, 1}, boot::Interface::kOpenShmem, &last));
    shown(*last).store(calls * kSteps + 5);
    destroy_team(*last);
    ASSERT_TRUE(make_teams(group::world(), {0, 1, 1}, boot::Interface::kOpenShmem, &next));
    EXPECT_FALSE(seems_to_have_come(*next)) << calls;
    destroy_team(*next);
  }
}

INSTANTIATE_TEST_SUITE_P(Of, Steps, testing::Values(Party::Kind::kBlocking, Party::Kind::kPending),
                         [](const auto& kind) {
                           return std::string(kind.param == Party::Kind::kBlocking ? "Blocking" : "Pending");
                         });

// Of active sets where PEs have several threads.
TEST(Sets, ArraysThatAreUsedAgainHaveStations) {
  test::be_alone();
  ASSERT_TRUE(group::set_up_teams());
  job::node().sets_in_order = false;
  const group::Members& all = group::world().members;
  constexpr int kArrays = 100;
  constexpr int kMost = 64;
  static const long arrays[kArrays] = {};
  const auto use = [&](int array) {
    const std::uint32_t slot = offer_station(&arrays[array]);
    if (slot != kNoOffer) {
      take_station(&arrays[array], slot);
    }
    return slot;
  };
  std::uint32_t first = kNoOffer;
  for (int life = 0; life < 2; ++life) {
    for (int array = 0; array < kArrays; ++array) {
      EXPECT_EQ(team_of_set(all, &arrays[array]), nullptr);
      ASSERT_EQ(use(array), kNoOffer) << array;
    }
    std::set<int> slots;
    for (int array = 0; array < kArrays; ++array) {
      ASSERT_EQ(use(array) != kNoOffer, array < kMost) << array;
      const group::Team* const team = team_of_set(all, &arrays[array]);
      ASSERT_EQ(team != nullptr, array < kMost) << array;
      if (team != nullptr) {
        slots.insert(team->slot);
        EXPECT_EQ(team->seat, 0);
      }
    }
    EXPECT_EQ(slots.size(), std::size_t{kMost});
    EXPECT_TRUE(first == kNoOffer || slots.count(static_cast<int>(first)) == 1) << "they are given back";
    first = static_cast<std::uint32_t>(*slots.begin());
    EXPECT_EQ(team_of_set({0, 1, 2}, &arrays[0]), nullptr) << "other members";
    for (const std::uint32_t slot : {1U, first, 2'000'000'000U}) {
      EXPECT_DEATH(take_station(&arrays[0], slot), "was written to during the call") << slot;
    }
    forget_sets();
  }
  job::node().sets_in_order = true;
  EXPECT_EQ(team_of_set(all, &arrays[0]), &group::set_of_all());
  group::delete_all_teams(boot::Interface::kOpenShmem);
}

}  // namespace
}  // namespace weft::coll
