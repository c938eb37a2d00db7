#include "dsm/protocol/page.hpp"

#include <gtest/gtest.h>

namespace weft::dsm::protocol {
namespace {

TEST(Page, OfItsHomeIsOpenUntilSomebodyFetchesIt) {
  Page page{.state = State::kShut};
  on_fault(page, true);
  EXPECT_EQ(page.state, State::kOpen);
  const OnMark marked = on_mark(page);
  EXPECT_TRUE(marked.protect && marked.announce);
  EXPECT_EQ(page.state, State::kWatched);
  EXPECT_TRUE(on_fault(page, true).twin);
  EXPECT_EQ(page.state, State::kCompared);
}

TEST(Page, ThatIsPinnedStaysOpenAndIsAnnouncedToWhoHasFetchedIt) {
  Page page{.state = State::kOpen, .pinned = true};
  for (int k = 0; k < 3; ++k) {
    const OnMark marked = on_mark(page);
    EXPECT_FALSE(marked.protect);
    EXPECT_TRUE(marked.announce);
    EXPECT_EQ(page.state, State::kOpen);
  }
}

TEST(Page, ThatNobodyWantsIsOpenAgain) {
  Page page{.state = State::kCompared};
  for (int k = 0; k < kAloneReleases; ++k) {
    ASSERT_EQ(page.state, State::kCompared);
    EXPECT_TRUE(on_compared(page, true, false).announce);
  }
  EXPECT_EQ(page.state, State::kOpen);
}

TEST(Page, ThatChangedAndChangedBackIsAnnouncedToWhoHasFetchedIt) {
  Page page{.state = State::kCompared};
  on_mark(page);
  EXPECT_TRUE(on_compared(page, false, false).announce);
  EXPECT_FALSE(on_compared(page, false, false).announce);
}

TEST(Page, ThatIsNoLongerWrittenCools) {
  for (const State state : {State::kWritten, State::kCompared}) {
    Page page{.state = state};
    while (!cools(page)) {
      EXPECT_FALSE(on_compared(page, false, false).drop_twin);
    }
    EXPECT_TRUE(on_compared(page, false, true).drop_twin);
    EXPECT_EQ(access_of(page.state), Access::kRead);
  }
}

TEST(Page, ThatIsMissedWhenDroppedIsRefreshedFromThenOn) {
  Page page{.state = State::kCopy};
  EXPECT_EQ(on_notice(page, Renewal::kLearned), OnNotice::kDrop);
  on_fault(page, false);
  int refreshed = 0;
  while (on_notice(page, Renewal::kLearned) == OnNotice::kRefresh) {
    ++refreshed;
  }
  EXPECT_EQ(refreshed, kRefreshes);
  on_fault(page, false);
  refreshed = 0;
  while (on_notice(page, Renewal::kLearned) == OnNotice::kRefresh) {
    ++refreshed;
  }
  EXPECT_EQ(refreshed, 2 * kRefreshes);
  // And what is not missed stays away.
  EXPECT_EQ(on_notice(page, Renewal::kLearned), OnNotice::kNothing);
}

TEST(Page, IsDroppedOrRefreshedAsIsSaid) {
  Page page;
  for (int k = 0; k < 3; ++k) {
    on_fault(page, false);
    EXPECT_EQ(on_notice(page, Renewal::kInvalidate), OnNotice::kDrop);
  }
  on_fault(page, false);
  for (int k = 0; k < 100; ++k) {
    EXPECT_EQ(on_notice(page, Renewal::kUpdate), OnNotice::kRefresh);
  }
  page.renewal = Renewal::kInvalidate;
  EXPECT_EQ(on_notice(page, Renewal::kUpdate), OnNotice::kDrop);
}

// One that is written now and then loses its twin in between, and need not get another one for ever.
TEST(Page, ThatNobodyFetchesOpensThoughItCoolsInBetween) {
  Page page{.state = State::kWatched};
  int rounds = 0;
  for (; page.state != State::kOpen && rounds < 10; ++rounds) {
    on_fault(page, true);
    on_compared(page, true, false);
    if (page.state == State::kCompared) {
      on_compared(page, false, true);
    }
  }
  EXPECT_EQ(rounds, kAloneReleases);
  page = Page{.state = State::kWatched};
  for (rounds = 0; page.state != State::kOpen && rounds < 10; ++rounds) {
    on_mark(page);
    on_fault(page, true);
    on_compared(page, true, false);
    on_compared(page, false, true);
  }
  EXPECT_EQ(page.state, State::kWatched);
}

TEST(Page, IsRefreshedOrDroppedAsTheIntervalHasIt) {
  Page page{.state = State::kCopy, .missed = true};
  EXPECT_EQ(on_notice(page, Renewal::kLearned, Habit::kReads), OnNotice::kRefresh);
  EXPECT_EQ(on_notice(page, Renewal::kMissed, Habit::kElsewhere), OnNotice::kRefresh);
  EXPECT_EQ(on_notice(page, Renewal::kLearned, Habit::kElsewhere), OnNotice::kDrop);
  EXPECT_TRUE(page.dropped);
}

TEST(Page, ThatIsBelievedIsToldAtEachEndAndBetweenToWhoHasFetchedIt) {
  Page page{.state = State::kWatched};
  on_believed(page);
  EXPECT_EQ(access_of(page.state), Access::kWrite);
  EXPECT_FALSE(has_twin(page.state));
  EXPECT_TRUE(on_release_of_believed(page, false).announce) << "copies that there were before";
  EXPECT_FALSE(on_release_of_believed(page, false).announce);
  on_mark(page);
  EXPECT_TRUE(on_release_of_believed(page, false).announce);
  EXPECT_EQ(page.state, State::kBelieved);
  const OnBelieved end = on_release_of_believed(page, true);
  EXPECT_TRUE(end.announce && end.protect);
  EXPECT_EQ(page.state, State::kWatched);
}

TEST(Page, ThatIsBelievedAndThatNobodyFetchesOpens) {
  Page page{.state = State::kWatched};
  for (int k = 0; k < kAloneReleases; ++k) {
    on_believed(page);
    on_release_of_believed(page, true);
  }
  EXPECT_EQ(page.state, State::kOpen);
}

TEST(Page, IsSharedBehindAClosingIfOthersHadCopies) {
  for (const State state : {State::kWatched, State::kCompared, State::kBelieved}) {
    Page page{.state = state};
    on_close(page);
    EXPECT_EQ(page.state, State::kShut);
    EXPECT_TRUE(on_fault(page, true).twin);
  }
  Page open{.state = State::kOpen};
  on_close(open);
  EXPECT_FALSE(on_fault(open, true).twin);
}

}  // namespace
}  // namespace weft::dsm::protocol
