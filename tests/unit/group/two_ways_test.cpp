#include "group/two_ways.hpp"

#include <gtest/gtest.h>

#include <functional>

namespace weft::group {
namespace {

// How many of so many calls went the second way, where a call takes what `took` says of its way.
int calls_of_second(TwoWays& ways, int calls, const std::function<double(int way, int call)>& took) {
  int second = 0;
  for (int call = 0; call < calls; ++call) {
    const int way = ways.next();
    second += way;
    ways.note(way, took(way, call));
  }
  return second;
}

TEST(TwoWays, TheFirstCallsGoBothWays) {
  TwoWays ways;
  EXPECT_EQ(calls_of_second(ways, 6, [](int, int) { return 1.0; }), 3);
}

TEST(TwoWays, LaterOnesGoTheFasterWayButForALook) {
  for (const int faster : {0, 1}) {
    TwoWays ways;
    calls_of_second(ways, 6, [&](int way, int) { return way == faster ? 1.0 : 2.0; });
    const int second = calls_of_second(ways, 320, [&](int way, int) { return way == faster ? 1.0 : 2.0; });
    EXPECT_EQ(faster == 1 ? 320 - second : second, 10);
  }
}

TEST(TwoWays, ACallThatSomethingCameBetweenChangesNothing) {
  TwoWays ways;
  calls_of_second(ways, 40, [](int way, int) { return way == 0 ? 1.0 : 1.5; });
  ASSERT_EQ(ways.next(), 0);
  ways.note(0, 1e6);
  EXPECT_EQ(ways.next(), 0);
  // And one of the first does not, as the best of them counts.
  TwoWays others;
  calls_of_second(others, 6, [](int way, int call) { return call == 0 ? 1e6 : way == 0 ? 1.0 : 1.5; });
  EXPECT_EQ(others.next(), 0);
}

TEST(TwoWays, WhatIsFasterLaterIsFound) {
  TwoWays ways;
  calls_of_second(ways, 100, [](int way, int) { return way == 0 ? 1.0 : 1.5; });
  calls_of_second(ways, 500, [](int way, int) { return way == 0 ? 2.4 : 1.5; });
  EXPECT_GT(calls_of_second(ways, 320, [](int way, int) { return way == 0 ? 2.4 : 1.5; }), 300);
}

}  // namespace
}  // namespace weft::group
