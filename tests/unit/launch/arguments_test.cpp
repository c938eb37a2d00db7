#include "launch/arguments.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <sstream>
#include <string>
#include <vector>

namespace weft::launch {
namespace {

/// A command line, as main gets it.
class Line {
 public:
  explicit Line(const std::string& text) {
    std::istringstream words("oshrun " + text);
    for (std::string word; words >> word;) words_.push_back(word);
    for (std::string& word : words_) argv_.push_back(word.data());
    argv_.push_back(nullptr);
    result = parse_arguments(static_cast<int>(words_.size()), argv_.data());
  }
  std::string program() const {
    std::string text;
    for (char** word = (*result).program; *word != nullptr; ++word) {
      if (!text.empty()) text += ' ';
      text += *word;
    }
    return text;
  }
  std::string error() const { return result ? "" : result.error().text(); }

  base::Result<Arguments> result{Arguments{}};

 private:
  std::vector<std::string> words_;
  std::vector<char*> argv_;
};

TEST(Arguments, ReadsTheNumberOfPesInEveryWayPeopleWriteIt) {
  for (const char* text : {"-n 4 prog", "-np 4 prog", "--np 4 prog", "-n4 prog", "-np4 prog", "-n=4 prog", "-np=4 prog",
                           "--np=4 prog", "-v -n 4 prog", "-n 4 --verbose prog", "-n 4 -- prog", "-n 9 -n 4 prog"}) {
    const Line line(text);
    ASSERT_TRUE(line.result) << text << ": " << line.error();
    EXPECT_EQ((*line.result).n_pes, 4) << text;
    EXPECT_EQ(line.program(), "prog") << text;
  }
}

TEST(Arguments, LeavesTheRestToTheProgram) {
  const Line line("-n 2 prog -n 7 --help -v -- -x");
  ASSERT_TRUE(line.result);
  EXPECT_EQ((*line.result).n_pes, 2);
  EXPECT_FALSE((*line.result).verbose);
  EXPECT_EQ(line.program(), "prog -n 7 --help -v -- -x");
  EXPECT_EQ(Line("-n 2 -- -strange -n").program(), "-strange -n");
}

TEST(Arguments, KnowsHelpVersionAndVerbose) {
  EXPECT_EQ((*Line("--help").result).wish, Wish::kHelp);
  EXPECT_EQ((*Line("-h").result).wish, Wish::kHelp);
  EXPECT_EQ((*Line("-n 3 --help").result).wish, Wish::kHelp);
  EXPECT_EQ((*Line("--version").result).wish, Wish::kVersion);
  EXPECT_EQ((*Line("-V").result).wish, Wish::kVersion);
  EXPECT_TRUE((*Line("-v -n 1 x").result).verbose);
  EXPECT_FALSE((*Line("-n 1 x").result).verbose);
}

TEST(Arguments, SaysWhatIsWrongWithTheNumber) {
  EXPECT_EQ(Line("-n 0 prog").error(), "-n 0: the number of PEs must be from 1 to 4096");
  EXPECT_EQ(Line("-n -3 prog").error(), "-n -3: the number of PEs must be from 1 to 4096");
  EXPECT_EQ(Line("-np 4097 prog").error(), "-np 4097: the number of PEs must be from 1 to 4096");
  EXPECT_EQ(Line("--np=99999999999 prog").error(), "--np 99999999999: the number of PEs must be from 1 to 4096");
  EXPECT_EQ(Line("-n four prog").error(), "-n four: not a whole number; give the number of PEs, from 1 to 4096");
  EXPECT_EQ(Line("-n 4x prog").error(), "-n 4x: not a whole number; give the number of PEs, from 1 to 4096");
  EXPECT_EQ(Line("-n ./prog").error(), "-n ./prog: not a whole number; give the number of PEs, from 1 to 4096");
  EXPECT_EQ(Line("-n").error(), "-n needs the number of PEs, such as -n 4");
}

TEST(Arguments, AsksForWhatIsMissing) {
  EXPECT_NE(Line("").error().find("no program given"), std::string::npos);
  EXPECT_NE(Line("-n 4").error().find("no program given"), std::string::npos);
  EXPECT_EQ(Line("./hello").error(), "the number of PEs is missing; use: oshrun -n 4 ./hello");
}

TEST(Arguments, NamesTheNearestOption) {
  EXPECT_EQ(Line("--hlep").error(), "unknown option '--hlep'; did you mean '--help'?");
  EXPECT_EQ(Line("--verison -n 2 x").error(), "unknown option '--verison'; did you mean '--version'?");
  EXPECT_EQ(Line("--verbos -n 2 x").error(), "unknown option '--verbos'; did you mean '--verbose'?");
  EXPECT_EQ(Line("--n 2 x").error(), "unknown option '--n'; did you mean '-n'?");
  EXPECT_EQ(Line("--something-else x").error(), "unknown option '--something-else'; see oshrun --help");
  EXPECT_EQ(Line("--verbose=3 x").error(), "--verbose=3: this option takes no value");
}

TEST(Help, FitsAScreen) {
  const std::string text = help_text();
  EXPECT_LE(std::count(text.begin(), text.end(), '\n'), 24);
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) EXPECT_LE(line.size(), 100U) << line;
}

}  // namespace
}  // namespace weft::launch
