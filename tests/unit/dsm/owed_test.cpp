#include "dsm/owed.hpp"

#include <gtest/gtest.h>

#include <array>
#include <utility>
#include <vector>

#include "dsm/state.hpp"
#include "job/node.hpp"

namespace weft::dsm {
namespace {

// PE 0 of four, each on a node of its own.
class Owing : public testing::Test {
 protected:
  void SetUp() override {
    g.me = 0;
    g.n_pes = 4;
    job::g_node.n_pes = 4;
    job::g_node.n_local = 1;
    job::g_node.first_here = 0;
    job::g_node.run_here = 1;
    forget_owed();
  }
  void TearDown() override {
    forget_owed();
    g.pages = 0;
  }

  static std::vector<std::uint32_t> pages_for(int pe) {
    std::array<Owed, kMostOwed> taken;
    std::vector<std::uint32_t> pages;
    const std::size_t n = take_owed(pe, taken);
    for (std::size_t k = 0; k < n; ++k) {
      pages.push_back(taken[k].run.first);
    }
    return pages;
  }
  static std::vector<std::uint32_t> collected(int owed_to) {
    std::vector<protocol::Run> runs;
    collect_owed(owed_to, &runs);
    std::vector<std::uint32_t> pages;
    for (const protocol::Run run : runs) {
      pages.push_back(run.first);
    }
    return pages;
  }
  static std::vector<std::uint32_t> paid(int owed_to) {
    std::vector<std::uint32_t> pages = collected(owed_to);
    forget_paid(owed_to);
    return pages;
  }
  using Numbers = std::vector<std::uint32_t>;
};

constexpr Run kOne[] = {{7, 1}};
constexpr Run kTwo[] = {{7, 1}, {9, 3}};

TEST_F(Owing, EachHearsOfItOnce) {
  EXPECT_FALSE(owes_beside(kOweNobody));
  EXPECT_TRUE(owe(kOweAll, kTwo, 1));
  EXPECT_TRUE(owes_beside(kOweNobody));
  EXPECT_FALSE(owes_beside(kOweAll));
  for (int pe = 1; pe < 4; ++pe) {
    EXPECT_EQ(pages_for(pe), (Numbers{7, 9}));
    EXPECT_EQ(pages_for(pe), Numbers());
  }
  EXPECT_FALSE(owes_beside(kOweNobody));
}

TEST_F(Owing, WhoIsLeftOutIsOwedStill) {
  EXPECT_TRUE(owe(kOweAll, kOne, 1));
  EXPECT_TRUE(owes_beside(1));
  EXPECT_EQ(paid(1), Numbers{7}) << "once, though PEs 2 and 3 are owed it";
  EXPECT_FALSE(owes_beside(1));
  EXPECT_EQ(paid(1), Numbers());
  EXPECT_EQ(pages_for(3), Numbers());
  EXPECT_EQ(pages_for(1), Numbers{7});
}

// 64 PEs that are owed 128 runs each are no 8,064 runs to announce, and no page is sent 63 times.
TEST_F(Owing, WhatManyAreOwedIsAnnouncedOnce) {
  constexpr protocol::Run kThree[] = {{10, 1}, {20, 5}};
  EXPECT_TRUE(owe(1, kTwo, 1));
  EXPECT_TRUE(owe(kOweAll, kThree, 2));
  std::vector<protocol::Run> runs = {{5, 3}, {22, 1}, {30, 1}};
  collect_owed(kOweNobody, &runs);
  std::vector<std::pair<std::uint32_t, std::uint32_t>> got;
  for (const protocol::Run run : runs) {
    got.emplace_back(run.first, run.pages);
  }
  EXPECT_EQ(got, (std::vector<std::pair<std::uint32_t, std::uint32_t>>{{5, 3}, {9, 3}, {20, 5}, {30, 1}}));
}

// A thread's release collects what another one owes, whose message may be the first to leave.
TEST_F(Owing, WhatIsCollectedIsOwedUntilItHasCome) {
  EXPECT_TRUE(owe(kOweAll, kOne, 1));
  EXPECT_EQ(collected(kOweNobody), Numbers{7});
  EXPECT_TRUE(owes_beside(kOweNobody));
  EXPECT_EQ(pages_for(1), Numbers{7});
  forget_paid(kOweNobody);
  EXPECT_FALSE(owes_beside(kOweNobody));
  EXPECT_EQ(pages_for(3), Numbers());
}

TEST_F(Owing, WhoIsLeftOutHasNotBeenPaid) {
  EXPECT_TRUE(owe(kOweAll, kOne, 1));
  EXPECT_EQ(collected(2), Numbers{7});
  forget_paid(2);
  EXPECT_EQ(pages_for(1), Numbers());
  EXPECT_EQ(pages_for(2), Numbers{7});
}

TEST_F(Owing, APageThatIsReleasedAgainHasItsLatestRound) {
  EXPECT_TRUE(owe(1, kOne, 4));
  EXPECT_TRUE(owe(1, kTwo, 5));
  std::array<Owed, kMostOwed> taken;
  ASSERT_EQ(take_owed(1, taken), 2U);
  EXPECT_EQ(taken[0].run.first, 7U);
  EXPECT_EQ(taken[0].round, 5U);
  EXPECT_EQ(taken[1].run.pages, 3U);
}

TEST_F(Owing, NobodyIsOwedMoreThanAMessageTakesAlong) {
  std::vector<protocol::Run> runs;
  for (std::uint32_t k = 0; k < kMostOwed; ++k) {
    runs.push_back({2 * k, 1});
  }
  EXPECT_TRUE(owe(1, runs, 1));
  EXPECT_TRUE(owe(1, runs, 2)) << "the same once more";
  EXPECT_FALSE(owe(1, kTwo, 3));
  EXPECT_FALSE(owe(kOweAll, kTwo, 3)) << "PE 1 among them";
  EXPECT_EQ(pages_for(2), Numbers()) << "so nobody is";
  EXPECT_TRUE(owe(2, kTwo, 3));
  EXPECT_EQ(pages_for(1).size(), kMostOwed);
  EXPECT_TRUE(owe(1, kTwo, 4));
}

// PE 2 has a thread that no message of the front end holds back: a barrier's message may be on its way to it when
// somebody who has passed that barrier gives it a lock.
TEST_F(Owing, WhoIsAskedToSettleSaysWhatIsOnItsWayAndOwesNobodyAgain) {
  EXPECT_TRUE(owe(kOweAll, kOne, 1));
  Settled settled = settle(2, 0);
  EXPECT_FALSE(settled.all) << "it is owed something";
  EXPECT_EQ(settled.told, 0U);
  EXPECT_FALSE(owe(kOweAll, kTwo, 2));
  EXPECT_FALSE(owe(2, kTwo, 2));
  EXPECT_TRUE(owe(kOweNobody, kTwo, 2));
  EXPECT_EQ(pages_for(2), Numbers{7}) << "what was owed goes along as it was to";
  settled = settle(2, 0);
  EXPECT_TRUE(settled.all);
  EXPECT_EQ(settled.told, 1U) << "which may not have come yet";
  EXPECT_EQ(told_along(2), 1U);
  EXPECT_EQ(pages_for(2), Numbers());
  EXPECT_EQ(told_along(2), 1U) << "a message that took nothing along";
  EXPECT_FALSE(settle(2, 1).all) << "what PE 2 has told has not come";
}

// A team in barriers leaves out all others each time, and PE 3 is in no team: the next release pays it all the same.
TEST_F(Owing, WhereAllIsWaitedForNobodyIsLeftOut) {
  EXPECT_TRUE(owe(kOweAll, kTwo, 1));
  EXPECT_FALSE(owes_beside(kOweAll));
  (void)settle(2, 0);
  EXPECT_TRUE(owes_beside(kOweAll));
  EXPECT_TRUE(owes_beside(2));
  EXPECT_FALSE(owe(kOweAll, {}, 2)) << "so it is announced to all";
  EXPECT_EQ(paid(kOweNobody), (Numbers{7, 9}));
  EXPECT_FALSE(owes_beside(kOweAll));
  EXPECT_TRUE(settle(2, 0).all);
}

TEST_F(Owing, WhatCannotBeHeardIsRefused) {
  g.pages = 100;
  EXPECT_TRUE(hear(1, {}));
  const auto hears = [](int pe, protocol::Run run) {
    const Owed owed[] = {{run, 1}};
    return hear(pe, owed);
  };
  EXPECT_FALSE(hears(1, {100, 1}));
  EXPECT_FALSE(hears(1, {99, 2}));
  EXPECT_FALSE(hears(1, {1, UINT32_MAX})) << "whose end is no number";
  EXPECT_FALSE(hears(1, {UINT32_MAX, 1}));
  EXPECT_FALSE(hears(1, {5, 0}));
  EXPECT_FALSE(hears(0, {5, 1})) << "of this PE itself";
  EXPECT_FALSE(hears(-1, {5, 1}));
  EXPECT_FALSE(hears(4, {5, 1}));
  EXPECT_EQ(heard_along(1), 0U);
}

}  // namespace
}  // namespace weft::dsm
