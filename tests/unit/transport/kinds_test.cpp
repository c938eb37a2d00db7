#include "transport/kinds.hpp"

#include <gtest/gtest.h>

namespace weft::transport {
namespace {

Handler handler(int* self) { return {nullptr, nullptr, nullptr, self}; }

TEST(KindsTest, EachHasItsHandler) {
  Kinds kinds;
  int first = 0;
  int second = 0;
  EXPECT_EQ(kinds.find(3), nullptr);
  EXPECT_TRUE(kinds.add(3, handler(&first)));
  EXPECT_TRUE(kinds.add(kKinds - 1, handler(&second)));
  ASSERT_NE(kinds.find(3), nullptr);
  EXPECT_EQ(kinds.find(3)->self, &first);
  EXPECT_EQ(kinds.find(kKinds - 1)->self, &second);
  EXPECT_EQ(kinds.find(4), nullptr);
}

TEST(KindsTest, NumbersThatThereAreNotHaveNone) {
  Kinds kinds;
  int self = 0;
  EXPECT_FALSE(kinds.add(kKinds, handler(&self)));
  EXPECT_FALSE(kinds.add(255, handler(&self)));
  EXPECT_EQ(kinds.find(255), nullptr);
}

// A room may be started again and again.
TEST(KindsTest, EachFrontEndHasNumbersOfItsOwn) {
  Kinds kinds;
  int selves[boot::kInterfaces] = {};
  for (int k = 0; k < boot::kInterfaces; ++k) {
    const Kind first = first_kind_of(static_cast<boot::Interface>(k));
    EXPECT_EQ(kinds.find(first), nullptr);
    for (int own = 0; own < kKindsOfEach; ++own) {
      EXPECT_TRUE(kinds.add(static_cast<Kind>(first + own), handler(&selves[k])));
    }
  }
  for (int core = 0; core < kKindsOfEach; ++core) {
    EXPECT_EQ(kinds.find(static_cast<Kind>(core)), nullptr);
  }
  EXPECT_EQ(kinds.find(first_kind_of(boot::Interface::kOpenShmem))->self, &selves[0]);
}

TEST(KindsTest, TheFirstStays) {
  Kinds kinds;
  int first = 0;
  int second = 0;
  EXPECT_TRUE(kinds.add(1, handler(&first)));
  EXPECT_TRUE(kinds.add(1, handler(&second)));
  EXPECT_EQ(kinds.find(1)->self, &first);
}

}  // namespace
}  // namespace weft::transport
