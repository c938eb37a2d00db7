#include "lock/policy.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "costs.hpp"

namespace weft::lock {
namespace {

TEST(LockPolicy, StaysWithTheNetworkThatOthersUse) {
  LockPolicy policy;
  for (int k = 0; k < 1000; ++k) {
    policy.took(0, 1);
    ASSERT_FALSE(policy.wants_back());
  }
}

TEST(LockPolicy, ReturnsWhenTheRoundTripsHaveCostAsMuch) {
  LockPolicy policy;
  std::uint32_t acquisitions = 0;
  for (; !policy.wants_back() && acquisitions < 1000; ++acquisitions) {
    policy.took(1, 0);
  }
  EXPECT_EQ(acquisitions, LockPolicy::kPays);
}

TEST(LockPolicy, StaysWhereBothSidesTakeTurns) {
  LockPolicy policy;
  for (int k = 0; k < 1000; ++k) {
    policy.took(1, 0);
    ASSERT_FALSE(policy.wants_back()) << k;
    policy.took(0, 1);
    ASSERT_FALSE(policy.wants_back()) << k;
  }
}

TEST(LockPolicy, ReturnsThoughOthersUseItNowAndThen) {
  LockPolicy policy;
  bool back = false;
  for (int k = 0; k < 4 && !back; ++k) {
    policy.took(0, 1);
    for (int own = 0; own < 5 && !back; ++own) {
      policy.took(1, 0);
      back = policy.wants_back();
    }
  }
  EXPECT_TRUE(back);
}

TEST(LockPolicy, CountsManyAtATimeAsOneByOne) {
  LockPolicy policy;
  policy.took(LockPolicy::kPays - 1, 0);
  EXPECT_FALSE(policy.wants_back());
  policy.took(1, 0);
  EXPECT_TRUE(policy.wants_back());
  policy.took(0, 1'000'000);
  EXPECT_FALSE(policy.wants_back());
  policy.took(4'000'000'000U, 0);
  EXPECT_TRUE(policy.wants_back());
}

// --- what it costs ---------------------------------------------------------------------------------------------------

// Who takes the lock, one after the other: n, a PE of its node, or f, one elsewhere.
using Uses = std::string;

// Who is to use a lock for the first time; once from the node, where the second PE finds what the first has taken.
long first_uses(const Uses& uses) {
  return test::kFirstUse * (1 + (uses[0] == 'n' && uses.find('f') != Uses::npos ? 1 : 0));
}

long cost(const Uses& uses) {
  LockPolicy policy;
  bool by_network = uses[0] == 'f';
  long sum = first_uses(uses);
  for (const char who : uses) {
    if (who == 'f') {
      sum += by_network ? test::kFarByNetwork : test::kFarLeaves;
      if (by_network) {
        policy.took(0, 1);
      }
      by_network = true;
    } else if (by_network) {
      sum += test::kNearByNetwork;
      policy.took(1, 0);
      if (policy.wants_back()) {
        policy.went_back();
        sum += test::kReturns;
        by_network = false;
      }
    }
  }
  return sum;
}

long always_by_network(const Uses& uses) { return test::kAlwaysByNetwork * static_cast<long>(uses.size()); }

// A lock that the agent lends to who asks from elsewhere, and has back at once.
long always_by_processor(const Uses& uses) {
  return first_uses(uses) + (test::kFarLeaves + test::kReturns) * std::count(uses.begin(), uses.end(), 'f');
}

// The least that a lock can cost that migrates, and begins on the better side.
long best(const Uses& uses) {
  constexpr long kNever = 1'000'000'000;
  long here = 0;
  long there = 0;
  for (const char who : uses) {
    if (who == 'f') {
      there = std::min(there + test::kFarByNetwork, here + test::kFarLeaves);
      here = kNever;
    } else {
      there += test::kNearByNetwork;
    }
    here = std::min(here, there + test::kReturns);
  }
  return first_uses(uses) + std::min(here, there);
}

void expect_at_most_twice(const Uses& uses) {
  const long mine = cost(uses);
  EXPECT_LE(mine, 2 * always_by_network(uses)) << uses;
  EXPECT_LE(mine, 2 * always_by_processor(uses)) << uses;
  EXPECT_LE(mine, 2 * best(uses)) << uses;
}

TEST(LockCosts, AtMostTwiceTheBestHoweverALockIsUsed) {
  for (std::size_t length = 1; length <= 14; ++length) {
    for (unsigned which = 0; which < 1U << length; ++which) {
      Uses uses;
      for (std::size_t k = 0; k < length; ++k) {
        uses += (which >> k & 1) != 0 ? 'f' : 'n';
      }
      expect_at_most_twice(uses);
    }
  }
}

TEST(LockCosts, AtMostTwiceTheBestInAnyRhythm) {
  for (std::size_t here = 1; here < 200; ++here) {
    for (std::size_t elsewhere = 1; elsewhere < 5; ++elsewhere) {
      Uses uses;
      for (int k = 0; k < 30; ++k) {
        uses += Uses(here, 'n') + Uses(elsewhere, 'f');
      }
      expect_at_most_twice(uses);
      expect_at_most_twice(uses.substr(here) + Uses(here, 'n'));
    }
  }
}

// The rhythm that a policy falls for that puts off the next return whenever the last one has not paid.
TEST(LockCosts, AtMostTwiceTheBestInAGrowingRhythm) {
  Uses uses = "f";
  for (std::size_t run = LockPolicy::kPays; run <= 1024; run *= 2) {
    uses += Uses(run, 'n') + "f";
  }
  for (int k = 0; k < 10; ++k) {
    uses += Uses(1024, 'n') + "f";
  }
  expect_at_most_twice(uses);
}

}  // namespace
}  // namespace weft::lock
