#include "msg/expected.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace {

using weft::msg::Data;
using weft::msg::ExpectedLines;

// All that it asks for, in looks without end.
std::uint32_t all_of(std::uint64_t room, std::uint64_t last) {
  std::vector<char> buffer(room);
  ExpectedLines lines({buffer.data(), room, nullptr}, last);
  std::uint32_t all = 0;
  for (int k = 0; k < 1000; ++k) {
    const std::uint32_t more = lines.some();
    EXPECT_LE(more, ExpectedLines::kAtATime);
    all += more;
  }
  return all;
}

TEST(ExpectedLines, AreThoseOfAMessageAsTheLastOne) {
  EXPECT_EQ(all_of(4096, 4096), 64U);
  EXPECT_EQ(all_of(1 << 20, 2000), 31U) << "of a large buffer";
  EXPECT_EQ(all_of(1000, 4096), 15U) << "none that the receive does not have";
  EXPECT_EQ(all_of(0, 4096), 0U);
}

TEST(ExpectedLines, AreNoneOfShortAndLongMessages) {
  EXPECT_EQ(all_of(4096, 0), 0U);
  EXPECT_EQ(all_of(4096, ExpectedLines::kLeast - 1), 0U);
  EXPECT_EQ(all_of(1 << 20, ExpectedLines::kMost + 1), 0U);
}

TEST(ExpectedLines, AreNotAskedForAtTheFirstLooks) {
  std::vector<char> buffer(4096);
  ExpectedLines lines({buffer.data(), buffer.size(), nullptr}, 4096);
  for (std::uint32_t k = 0; k < ExpectedLines::kLooksFirst; ++k) {
    EXPECT_EQ(lines.some(), 0U);
  }
  EXPECT_EQ(lines.some(), ExpectedLines::kAtATime);
}

}  // namespace
