#include "launch/streams/tags.hpp"

#include <gtest/gtest.h>

namespace weft::launch::streams {
namespace {

TEST(Tags, StandBeforeEachLine) {
  Tags tags;
  EXPECT_EQ(tags.tagged(3, "one\n"), "[3] one\n");
  EXPECT_EQ(tags.tagged(12, "two\n\nthree\n"), "[12] two\n[12] \n[12] three\n");
  EXPECT_EQ(tags.tagged(0, ""), "");
}

TEST(Tags, AreNotRepeatedInALineOfSeveralPieces) {
  Tags tags;
  EXPECT_EQ(tags.tagged(1, "name? "), "[1] name? ");
  EXPECT_TRUE(tags.is_open_for(1));
  EXPECT_EQ(tags.tagged(1, "Ada\nage? "), "Ada\n[1] age? ");
  EXPECT_EQ(tags.tagged(1, "36\n"), "36\n");
  EXPECT_FALSE(tags.is_open_for(1));
}

TEST(Tags, EndALineThatAnotherPeInterrupts) {
  Tags tags;
  EXPECT_EQ(tags.tagged(1, "name? "), "[1] name? ");
  EXPECT_EQ(tags.tagged(2, "hello\n"), "\n[2] hello\n");
  EXPECT_EQ(tags.tagged(1, "Ada\n"), "[1] Ada\n");
  EXPECT_EQ(tags.tagged(1, "age? "), "[1] age? ");
  tags.interrupted();
  EXPECT_EQ(tags.tagged(2, "hello\n"), "[2] hello\n");
}

}  // namespace
}  // namespace weft::launch::streams
