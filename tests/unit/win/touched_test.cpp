#include "win/touched.hpp"

#include <gtest/gtest.h>

#include <cstdint>

namespace weft::win {
namespace {

Span at(std::uint64_t low, std::uint64_t bytes) { return {0, low, low + bytes}; }

TEST(Touched, MeetsWhatItHasAndItsNeighboursInEachWord) {
  Touched touched;
  EXPECT_FALSE(touched.meets(at(0, 8)));
  touched.add(at(4096, 8));
  EXPECT_TRUE(touched.meets(at(4096, 8)));
  EXPECT_TRUE(touched.meets(at(4100, 1)));
  EXPECT_TRUE(touched.meets(at(4080, 17)));
  EXPECT_FALSE(touched.meets(at(4080, 16)));
  EXPECT_FALSE(touched.meets(at(4104, 8)));
  touched.clear();
  EXPECT_FALSE(touched.meets(at(4096, 8)));
}

TEST(Touched, OddPlacesTouchBothWords) {
  Touched touched;
  touched.add(at(7, 2));
  EXPECT_TRUE(touched.meets(at(0, 1)));
  EXPECT_TRUE(touched.meets(at(8, 1)));
  EXPECT_FALSE(touched.meets(at(16, 1)));
}

TEST(Touched, NeverMissesWhatBothHave) {
  std::uint64_t state = 1;
  const auto random = [&] { return state = state * 6364136223846793005U + 1442695040888963407U; };
  for (int round = 0; round < 200; ++round) {
    Touched one;
    Touched other;
    for (int k = 0; k < 20; ++k) {
      one.add(at(random() >> 20, 1 + (random() >> 58)));
      other.add(at(random() >> 20, 1 + (random() >> 58)));
    }
    const Span both = at(random() >> 20, 8);
    one.add(both);
    other.add(at(both.low + 7, 64));
    EXPECT_TRUE(one.meets(other));
    EXPECT_TRUE(one.meets(both));
  }
}

TEST(Touched, FewPlacesApartDoNotMeet) {
  std::uint64_t state = 7;
  int met = 0;
  for (int round = 0; round < 1000; ++round) {
    Touched one;
    Touched other;
    for (int k = 0; k < 4; ++k) {
      state = state * 6364136223846793005U + 1442695040888963407U;
      one.add(at((state >> 30) % 100000 * 16, 8));
      other.add(at((state >> 30) % 100000 * 16 + 8, 8));
    }
    met += one.meets(other) ? 1 : 0;
  }
  EXPECT_LT(met, 50);
}

TEST(Touched, AllThereIsIsTouchedByARowThatIsLonger) {
  Touched one;
  one.add(at(64, 1U << 20));
  EXPECT_TRUE(one.meets(at(std::uint64_t{1} << 40, 1)));
  Touched few;
  few.add(at(1000, 8));
  EXPECT_TRUE(few.meets(at(0, 1U << 20)));
  EXPECT_FALSE(Touched().meets(at(0, 1U << 20)));
}

}  // namespace
}  // namespace weft::win
