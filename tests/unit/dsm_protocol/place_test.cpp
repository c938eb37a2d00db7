#include "dsm/protocol/place.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <thread>
#include <vector>

#include "dsm/protocol/page.hpp"

namespace weft::dsm::protocol {
namespace {

TEST(Place, IsNotLeftWhileSomebodyUsesIt) {
  Place place;
  ASSERT_TRUE(place.enter());
  EXPECT_FALSE(place.close());
  EXPECT_TRUE(place.leave());
  EXPECT_TRUE(place.close());
  EXPECT_EQ(place.found(), Found::kWait);
  EXPECT_FALSE(place.enter());
  place.pass_on(4);
  EXPECT_EQ(place.found(), Found::kGone);
  EXPECT_EQ(place.to, 5);
  EXPECT_FALSE(place.enter() || place.heat() || place.fix());
}

TEST(Place, IsNotLeftWhileItsProgramMayWriteOrForGood) {
  Place place;
  ASSERT_TRUE(place.heat());
  EXPECT_FALSE(place.close());
  place.cool();
  Place fixed = place;
  ASSERT_TRUE(fixed.fix());
  EXPECT_FALSE(fixed.close());
  fixed.cool();
  EXPECT_FALSE(fixed.close());
  EXPECT_TRUE(place.close());
}

TEST(Place, ThatIsNotGivenIsAsItWas) {
  Place place;
  place.close();
  place.pass_on(1);
  place.expect();
  EXPECT_EQ(place.found(), Found::kWait);
  place.stay_away();
  EXPECT_EQ(place.to, 2);
  place.expect();
  place.open();
  EXPECT_EQ(place.found(), Found::kHere);
}

// Threads that add to what is there while it is carried from one PE to the next: nothing is added to what has gone.
TEST(Places, MoveBetweenUses) {
  constexpr int kPes = 3;
  constexpr int kMoves = 3'000;
  std::vector<std::atomic<Place>> words(kPes);
  long values[kPes] = {};
  const auto at = [&](int pe) { return Places(&words[static_cast<std::size_t>(pe)]); };
  std::atomic<bool> over = false;
  std::atomic<long> added = 0;
  const auto add = [&] {
    for (int pe = 0; !over.load();) {
      Place before;
      if (at(pe).change(0, &Place::enter, &before)) {
        __atomic_fetch_add(&values[pe], 1, __ATOMIC_RELAXED);
        at(pe).change(0, &Place::leave);
        added.fetch_add(1);
      } else {
        pe = before.found() == Found::kGone ? before.to - 1 : pe;
        std::this_thread::yield();
      }
    }
  };
  std::thread one(add);
  std::thread two(add);
  int home = 0;
  for (int moves = 0; moves < kMoves || added.load() < kMoves;) {
    if (!at(home).change(0, &Place::close)) {
      continue;
    }
    const int next = (home + 1) % kPes;
    __atomic_store_n(&values[next], __atomic_load_n(&values[home], __ATOMIC_RELAXED), __ATOMIC_RELAXED);
    at(next).change(0, &Place::open);
    at(next).change(0, &Place::cool);
    at(home).change(0, [&](Place& place) { return place.pass_on(next); });
    home = next;
    ++moves;
  }
  over.store(true);
  one.join();
  two.join();
  EXPECT_EQ(values[home], added.load());
}

TEST(Page, ThatOnlyOnePeWritesIsToBeAtHomeThere) {
  Page page{.state = State::kWritten};
  EXPECT_FALSE(on_compared(page, true, false).take);
  EXPECT_FALSE(on_compared(page, false, false).take);
  EXPECT_TRUE(on_compared(page, true, false).take);
  on_taken(page);
  EXPECT_EQ(page.state, State::kCompared);
}

TEST(Page, ThatOthersAnnounceIsNot) {
  Page page{.state = State::kWritten, .missed = true};
  for (int k = 0; k < 10; ++k) {
    EXPECT_FALSE(on_compared(page, true, false).take);
    (void)on_notice(page, Renewal::kUpdate);
  }
}

TEST(Page, ComesAfterTwiceAsManyReleasesEachTime) {
  Page page{.state = State::kWritten};
  // It comes here, and somebody takes it from here.
  const auto releases = [&] {
    int n = 1;
    while (!on_compared(page, true, false).take) {
      ++n;
    }
    on_taken(page);
    page.state = State::kWritten;
    return n;
  };
  int last = kSoleReleases;
  for (int k = 0; k <= kMostDoublingsOfSole; ++k, last *= 2) {
    EXPECT_EQ(releases(), last);
  }
  EXPECT_EQ(releases(), last / 2);
}

TEST(Page, ThatIsNotGivenIsAskedForAgainUnlessItStaysForGood) {
  Page page{.state = State::kWritten, .sole = kSoleReleases};
  EXPECT_TRUE(on_compared(page, true, false).take);
  EXPECT_TRUE(on_compared(page, true, false).take);
  on_refused(page);
  for (int k = 0; k < 300; ++k) {
    EXPECT_FALSE(on_compared(page, true, false).take);
  }
}

TEST(Page, ThatIsCooledStaysWhereItIs) {
  Page page{.state = State::kWritten, .sole = 100};
  EXPECT_FALSE(on_compared(page, true, true).take);
}

TEST(Page, AtHomeThatOthersChangeCools) {
  Page page{.state = State::kCompared};
  for (int k = 0; k < kIdleReleases; ++k) {
    ASSERT_FALSE(cools(page));
    page.fetched = true;
    EXPECT_TRUE(on_compared(page, true, false, true).announce);
  }
  EXPECT_TRUE(cools(page));
  on_compared(page, true, true, true);
  EXPECT_EQ(page.state, State::kWatched);
}

TEST(Page, ThatWasTakenIsACopy) {
  Page watched{.state = State::kWatched};
  on_moved(watched);
  EXPECT_EQ(watched.state, State::kCopy);
  Page shut{.state = State::kShut, .shared = true};
  on_moved(shut);
  EXPECT_EQ(shut.state, State::kAway);
  EXPECT_TRUE(on_fault(shut, true).fetch);
}

}  // namespace
}  // namespace weft::dsm::protocol
