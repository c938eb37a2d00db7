#include "launch/command/option_file.hpp"

#include <gtest/gtest.h>

#include <fstream>

#include "launch/command/soft.hpp"
#include "support/leftovers.hpp"

namespace weft::launch::command {
namespace {

TEST(OptionFile, HasWordsOnLines) {
  const auto lines = read_words("-n 2  ./a\tx\n\n# -n 9\n  #\n-n 1 ./b '#c' #d\r\n", "f");
  ASSERT_TRUE(lines) << lines.error().text();
  EXPECT_EQ(*lines, (std::vector<Words>{{"-n", "2", "./a", "x"}, {"-n", "1", "./b", "#c", "#d"}}));
}

TEST(OptionFile, QuotesAsAShellDoes) {
  const auto lines = read_words(R"(a 'b c' "d \"e\" \\" f\ g h'i'"j" '' 'k\l')", "f");
  ASSERT_TRUE(lines) << lines.error().text();
  EXPECT_EQ((*lines).at(0), (Words{"a", "b c", R"(d "e" \)", "f g", "hij", "", R"(k\l)"}));
}

TEST(OptionFile, GoesOnInTheNextLine) {
  const auto lines = read_words("a \\\n  b\\\nc\nd\n\"e", "f");
  EXPECT_STREQ(lines.error().text(), "f:5: a quote is not closed; end it on the same line");
  EXPECT_EQ(*read_words("a \\\n  b\\\nc\nd", "f"), (std::vector<Words>{{"a", "b", "c"}, {"d"}}));
  EXPECT_EQ(*read_words("a\\", "f"), (std::vector<Words>{{"a"}}));
}

TEST(OptionFile, ThatCannotBeRead) {
  EXPECT_STREQ(load_words("/nowhere/f").error().text(), "/nowhere/f: cannot read this file: No such file or directory");
  EXPECT_STREQ(load_words("/dev/zero").error().text(),
               "/dev/zero: not a file of options; it must be a plain file of at most 1 MiB");
  const test::TemporaryDirectory files;
  const std::string path = files.path() + "/large";
  std::ofstream(path) << std::string((1 << 20) + 1, 'x');
  EXPECT_STREQ(load_words(path).error().text(),
               (path + ": not a file of options; it must be a plain file of at most 1 MiB").c_str());
}

TEST(Soft, TakesTheLargest) {
  EXPECT_EQ(largest_soft("4", 9), 4);
  EXPECT_EQ(largest_soft("2,4,16", 9), 4);
  EXPECT_EQ(largest_soft("1:8", 5), 5);
  EXPECT_EQ(largest_soft("1:8:2", 9), 7);
  EXPECT_EQ(largest_soft("1:8:2", 6), 5);
  EXPECT_EQ(largest_soft("0:100:10", 25), 20);
  EXPECT_EQ(largest_soft("10:2:-3", 9), 7);
  EXPECT_EQ(largest_soft("10:2:-3", 10), 10);
  EXPECT_EQ(largest_soft("10:5:-3", 6), 0);
  EXPECT_EQ(largest_soft("16:32", 9), 0);
  EXPECT_EQ(largest_soft("-8:0", 9), 0);
  EXPECT_EQ(largest_soft("2147483647:-2147483648:-1", 4096), 4096);
  EXPECT_EQ(largest_soft("-2147483648:2147483647:2147483647", 4096), 0);
}

TEST(Soft, WhatIsNoListIsNone) {
  for (const char* text : {"", "x", "1:", ":1", "1,,2", "1:2:0", "1:2:3:4", "1 2", "1,", "99999999999"}) {
    EXPECT_EQ(largest_soft(text, 9), std::nullopt) << text;
  }
}

}  // namespace
}  // namespace weft::launch::command
