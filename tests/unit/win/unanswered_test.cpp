#include "win/unanswered.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace weft::win {
namespace {

void answer(Unanswered::Left& left) { left.fetch_sub(1, std::memory_order_release); }

TEST(Unanswered, WhoWaitsDoesSoForThoseBeforeOnly) {
  Unanswered all;
  EXPECT_TRUE(all.none());
  Unanswered::Left& first = all.begin();
  Unanswered::Earlier earlier(all);
  EXPECT_FALSE(earlier.done());
  // Others go on, and there is never nothing under way.
  std::vector<Unanswered::Left*> others;
  for (int k = 0; k < 10; ++k) {
    others.push_back(&all.begin());
    EXPECT_FALSE(earlier.done());
  }
  answer(first);
  EXPECT_TRUE(earlier.done());
  EXPECT_FALSE(all.none());
  for (Unanswered::Left* const each : others) {
    answer(*each);
  }
  EXPECT_TRUE(all.none());
}

// Who comes second waits for the turn that the first one has begun.
TEST(Unanswered, SeveralWait) {
  Unanswered all;
  Unanswered::Left& first = all.begin();
  Unanswered::Earlier one(all);
  EXPECT_FALSE(one.done());
  Unanswered::Left& second = all.begin();
  ASSERT_NE(&first, &second);
  Unanswered::Earlier other(all);
  EXPECT_FALSE(other.done());
  answer(second);
  EXPECT_FALSE(other.done()) << "the first one is under way too";
  EXPECT_FALSE(one.done());
  answer(first);
  EXPECT_TRUE(one.done());
  EXPECT_TRUE(other.done());
}

TEST(Unanswered, WhatIsAnsweredIsMetNoMore) {
  Unanswered all;
  Unanswered::Left& first = all.begin({1, 100, 200});
  EXPECT_TRUE(all.meet({1, 150, 160}));
  EXPECT_FALSE(all.meet({2, 150, 160}));
  Unanswered::Earlier earlier(all);
  EXPECT_FALSE(earlier.done());
  Unanswered::Left& second = all.begin({1, 300, 400});
  EXPECT_TRUE(all.meet({1, 150, 160}));
  EXPECT_TRUE(all.meet({1, 350, 360}));
  answer(first);
  EXPECT_FALSE(all.meet({1, 150, 160}));
  EXPECT_TRUE(all.meet({1, 350, 360}));
  answer(second);
  EXPECT_FALSE(all.meet({1, 350, 360}));
}

// What has no order is met by nobody, and waited for all the same.
TEST(Unanswered, WithoutAnOrderNobodyIsMet) {
  Unanswered all;
  Unanswered::Left& one = all.begin();
  EXPECT_FALSE(all.meet({0, 0, ~std::uint64_t{0}}));
  Unanswered::Earlier earlier(all);
  EXPECT_FALSE(earlier.done());
  answer(one);
  EXPECT_TRUE(earlier.done());
}

}  // namespace
}  // namespace weft::win
