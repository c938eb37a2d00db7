#include "launch/streams/lines.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace weft::launch::streams {
namespace {

using Pieces = std::vector<std::string>;

Pieces pass(LineKeeper& lines, std::string_view bytes) {
  Pieces pieces;
  lines.add(bytes, [&](std::string_view piece) { pieces.emplace_back(piece); });
  return pieces;
}

Pieces flush(LineKeeper& lines) {
  Pieces pieces;
  lines.flush([&](std::string_view piece) { pieces.emplace_back(piece); });
  return pieces;
}

TEST(Lines, WholeLinesGoAtOnce) {
  LineKeeper lines;
  EXPECT_EQ(pass(lines, "one\n"), Pieces{"one\n"});
  EXPECT_EQ(pass(lines, "two\nthree\n"), Pieces{"two\nthree\n"});
  EXPECT_FALSE(lines.holds_some());
}

TEST(Lines, ABegunLineWaitsForItsEnd) {
  LineKeeper lines;
  EXPECT_EQ(pass(lines, "one\ntw"), Pieces{"one\n"});
  EXPECT_TRUE(lines.holds_some());
  EXPECT_EQ(pass(lines, ""), Pieces{});
  EXPECT_EQ(pass(lines, "o"), Pieces{});
  EXPECT_EQ(pass(lines, "!\nthr"), (Pieces{"two", "!\n"}));
  EXPECT_EQ(flush(lines), Pieces{"thr"});
  EXPECT_EQ(flush(lines), Pieces{});
  EXPECT_FALSE(lines.holds_some());
}

TEST(Lines, BytesAreNotLookedAt) {
  LineKeeper lines;
  const std::string binary("\0\xff\r\0\n\0", 6);
  EXPECT_EQ(pass(lines, binary), Pieces{binary.substr(0, 5)});
  EXPECT_EQ(flush(lines), Pieces{std::string(1, '\0')});
}

TEST(Lines, AnEndlessLineGoesInParts) {
  LineKeeper lines;
  const std::string half(LineKeeper::kLongest / 2, 'x');
  EXPECT_EQ(pass(lines, half), Pieces{});
  EXPECT_EQ(pass(lines, half), Pieces{});
  EXPECT_EQ(pass(lines, "y"), Pieces{half + half + "y"});
  EXPECT_FALSE(lines.holds_some());
}

}  // namespace
}  // namespace weft::launch::streams
