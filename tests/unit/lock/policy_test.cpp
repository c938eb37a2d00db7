#include "lock/policy.hpp"

#include <gtest/gtest.h>

namespace weft::lock {
namespace {

// Acquisitions by the node alone until the lock goes back; -1 when it never does.
int run_until_back(LockPolicy& policy) {
  for (int k = 1; k <= 10'000; ++k) {
    policy.took(1, 0);
    if (policy.wants_back()) {
      policy.went_back();
      return k;
    }
  }
  return -1;
}

TEST(LockPolicy, StaysWithTheNetworkThatOthersUse) {
  LockPolicy policy;
  for (int k = 0; k < 1000; ++k) {
    policy.took(0, 1);
    ASSERT_FALSE(policy.wants_back());
  }
}

TEST(LockPolicy, ReturnsWhenTheRoundTripsHaveCostAsMuch) {
  LockPolicy policy;
  EXPECT_EQ(run_until_back(policy), static_cast<int>(LockPolicy::kPays));
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
    for (int own = 0; own < 6 && !back; ++own) {
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

TEST(LockPolicy, NewLocksTeachNothing) {
  LockPolicy policy;
  policy.left(0);
  EXPECT_EQ(policy.needed(), LockPolicy::kPays);
}

// The worst rhythm: each time the lock is back somebody elsewhere asks at once.
TEST(LockPolicy, DoesNotFlap) {
  LockPolicy policy;
  int acquisitions = 0;
  int returns = 0;
  while (acquisitions < 20'000) {
    acquisitions += run_until_back(policy);
    ++returns;
    policy.left(0);
  }
  EXPECT_EQ(policy.needed(), LockPolicy::kMostNeeded);
  EXPECT_LE(returns, 7 + 20'000 / static_cast<int>(LockPolicy::kMostNeeded) + 1);
}

TEST(LockPolicy, ForgetsARhythmThatHasEnded) {
  LockPolicy policy;
  for (int k = 0; k < 20; ++k) {
    ASSERT_GT(run_until_back(policy), 0);
    policy.left(LockPolicy::kPays - 1);
  }
  ASSERT_EQ(policy.needed(), LockPolicy::kMostNeeded);
  ASSERT_GT(run_until_back(policy), 0);
  policy.left(LockPolicy::kPays);  // just paid
  EXPECT_EQ(policy.needed(), LockPolicy::kMostNeeded);
  for (int k = 0; k < 20; ++k) {
    ASSERT_GT(run_until_back(policy), 0);
    policy.left(100 * LockPolicy::kPays);
  }
  EXPECT_EQ(policy.needed(), LockPolicy::kPays);
}

}  // namespace
}  // namespace weft::lock
