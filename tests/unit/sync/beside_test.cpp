// Waits for threads on other processors. Looks and questions are counted: nothing depends on where a thread runs.
#include "sync/beside.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace weft::sync {
namespace {

// A wait that is over at that look, the first of which is 1, for somebody who is beside or not.
struct Counts {
  std::uint32_t looks = 0;
  std::uint32_t asked = 0;  // before each yield
  bool done = false;
};
Counts wait_until(std::uint32_t look, bool beside, const Patience& patience) {
  Counts counts;
  counts.done = wait_elsewhere(
      patience,
      [&](std::uint32_t) {
        ++counts.asked;
        return beside;
      },
      [&] { return ++counts.looks >= look; });
  return counts;
}

TEST(Beside, WhoWaitsForThoseElsewhereLooksOnBeforeItYields) {
  const Patience patience = patience_for(4, 2);
  const Counts soon = wait_until(kSpinsElsewhere, false, patience);
  EXPECT_TRUE(soon.done);
  EXPECT_EQ(soon.asked, 1U);
  const Counts later = wait_until(2 * kSpinsElsewhere, false, patience);
  EXPECT_TRUE(later.done);
  EXPECT_EQ(later.asked, 2U);
}

TEST(Beside, WhoWaitsForSomebodyOnItsProcessorYieldsAtOnce) {
  const Counts counts = wait_until(3, true, patience_for(4, 2));
  EXPECT_TRUE(counts.done);
  EXPECT_EQ(counts.asked, 2U);
}

TEST(Beside, ALongWaitIsSomebodyElses) {
  EXPECT_FALSE(wait_until(UINT32_MAX, true, patience_for(4, 2)).done);
  EXPECT_FALSE(wait_until(UINT32_MAX, false, patience_for(4, 2)).done);
}

TEST(Beside, NobodyLooksOnWhoSpinsAnywayOrPollsTheNetwork) {
  Patience of_nodes = patience_for(4, 2);
  of_nodes.poll = []() noexcept {};
  for (const Patience& patience : {patience_for(2, 2), of_nodes}) {
    const Counts counts = wait_until(1, false, patience);
    EXPECT_FALSE(counts.done);
    EXPECT_EQ(counts.looks, 0U);
  }
}

// Of several threads by their processors' numbers those that leave.
std::vector<int> leaving(const std::vector<std::uint32_t>& processors) {
  std::vector<int> found;
  const int count = static_cast<int>(processors.size());
  for (int me = 0; me < count; ++me) {
    if (is_one_too_many(processors.data(), count, me)) found.push_back(me);
  }
  return found;
}

TEST(Beside, TheLastOfThreeLeavesWhereAnotherProcessorHasOne) {
  EXPECT_EQ(leaving({1, 2, 1, 1}), std::vector<int>{3});
  EXPECT_EQ(leaving({1, 1, 1, 2}), std::vector<int>{2});
  EXPECT_EQ(leaving({1, 1, 1, 1, 2, 2, 3}), std::vector<int>{3});
}

TEST(Beside, NobodyLeavesWhereNoneHasTwoMoreOrOneIsNotKnown) {
  EXPECT_EQ(leaving({1, 2, 1, 2}), std::vector<int>{});
  EXPECT_EQ(leaving({1, 2, 1, 2, 1}), std::vector<int>{});
  EXPECT_EQ(leaving({1, 1, 1, 1}), std::vector<int>{});
  EXPECT_EQ(leaving({1, 1, 1, 0}), std::vector<int>{});
}

TEST(Beside, AThreadSaysWhereItIs) {
  Whereabouts own{};
  // It may be moved between two looks.
  const auto number = [] { return this_processor(); };
  std::uint32_t before = 0;
  std::uint32_t after = 0;
  do {
    before = number();
    tell_processor(own);
    after = number();
  } while (before != after && own.processor.load() != before);
  EXPECT_NE(own.processor.load(), 0U);
  EXPECT_EQ(own.processor.load(), before);
}

}  // namespace
}  // namespace weft::sync
