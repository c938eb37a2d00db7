#include "msg/expected.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace {

using weft::msg::Data;
using weft::msg::ExpectedLines;
using weft::msg::NextLines;

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

struct Copied {
  std::vector<std::size_t> parts;
  std::size_t asked = 0;
};

// A piece of `bytes` in a buffer of which `behind` follow it. Its parts are one behind the other.
Copied copied(const NextLines& lines, std::size_t bytes, std::size_t behind) {
  const std::vector<char> buffer(bytes + behind);
  Copied copied;
  std::size_t done = 0;
  copied.asked = lines.copy_in_parts(buffer.data(), bytes, behind, [&](std::size_t at, std::size_t part) {
    EXPECT_EQ(at, done);
    done += part;
    copied.parts.push_back(part);
  });
  EXPECT_EQ(done, bytes);
  return copied;
}

TEST(NextLines, AreAskedForAPartAhead) {
  const int other = 0;
  const NextLines lines(nullptr, &other);
  const Copied whole = copied(lines, 8192, 0);
  EXPECT_EQ(whole.parts, std::vector<std::size_t>(4, 2048));
  EXPECT_EQ(whole.asked, 96U) << "all but the first part's";
  EXPECT_EQ(copied(lines, 2048, 2048).asked, 32U) << "of the next piece";
  EXPECT_EQ(copied(lines, 2048, 100).asked, 2U) << "no line behind the buffer";
  EXPECT_EQ(copied(lines, 2048, 0).asked, 0U);
  const Copied odd = copied(lines, 3000, 0);
  EXPECT_EQ(odd.parts, (std::vector<std::size_t>{2048, 952}));
  EXPECT_EQ(odd.asked, 15U);
}

TEST(NextLines, AreNoneOfABufferThatTheLastMessageWasPutInto) {
  const int same = 0;
  const Copied one = copied(NextLines(&same, &same), 8192, 8192);
  EXPECT_EQ(one.parts, std::vector<std::size_t>{8192});
  EXPECT_EQ(one.asked, 0U);
}

}  // namespace
