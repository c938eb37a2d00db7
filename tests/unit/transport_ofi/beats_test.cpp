// When signs of life are due, and when they are missed.
#include "transport/ofi/beats.hpp"

#include <gtest/gtest.h>

namespace weft::transport::ofi {
namespace {

constexpr std::uint64_t kSecond = 1'000'000'000;

TEST(Beats, AreOffWhereNobodyWantsThem) {
  Beats beats;
  EXPECT_FALSE(beats.look(100 * kSecond).beat);
  beats.begin(0, 0);
  EXPECT_FALSE(beats.are_on());
  EXPECT_FALSE(beats.look(100 * kSecond).beat);
}

TEST(Beats, ComeFiveTimesWithinTheTime) {
  Beats beats;
  beats.begin(20, kSecond);
  int n = 0;
  for (std::uint64_t now = 1; now < 21; ++now) n += beats.look(now * kSecond).beat ? 1 : 0;
  EXPECT_EQ(n, 5);
}

// It may not be there yet, or be of another build.
TEST(Beats, WhoWasNeverHeardIsNotSilent) {
  Beats beats;
  beats.begin(2, 0);
  for (std::uint64_t now = 0; now < 100; ++now) EXPECT_FALSE(beats.look(now * kSecond / 2).is_silent);
}

TEST(Beats, SilenceIsToldOnce) {
  Beats beats;
  beats.begin(20, 0);
  beats.heard(5 * kSecond);
  int silent = 0;
  for (std::uint64_t now = 6; now < 100; ++now) {
    const bool is = beats.look(now * kSecond).is_silent;
    EXPECT_EQ(is, now == 26);
    silent += is ? 1 : 0;
  }
  EXPECT_EQ(silent, 1);
}

// Both may have been stopped.
TEST(Beats, WhoWasStoppedBeginsAnew) {
  Beats beats;
  beats.begin(20, 0);
  beats.heard(kSecond);
  EXPECT_FALSE(beats.look(2 * kSecond).is_silent);
  EXPECT_FALSE(beats.look(1000 * kSecond).is_silent);
  for (std::uint64_t now = 1001; now <= 1020; ++now) EXPECT_FALSE(beats.look(now * kSecond).is_silent);
  EXPECT_TRUE(beats.look(1021 * kSecond).is_silent);
}

TEST(Beats, EndWithTheNetwork) {
  Beats beats;
  beats.begin(2, 0);
  beats.heard(1);
  beats.end();
  EXPECT_FALSE(beats.look(kSecond).is_silent);
  beats.begin(2, 50 * kSecond);
  EXPECT_FALSE(beats.look(51 * kSecond).is_silent);
}

}  // namespace
}  // namespace weft::transport::ofi
