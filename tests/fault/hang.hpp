// What tests of the hang report share: the marked lines of their program, and lines looked for in what was told.
#pragma once

#include <regex>
#include <sstream>
#include <string>

#include "job.hpp"

namespace weft::fault {

/// "hang.c:32": the line of the program, by its source, that is marked with this comment.
inline std::string line_of(const std::string& mark, const std::string& source = WEFT_HANG_SOURCE) {
  std::istringstream lines(content(source));
  int number = 0;
  for (std::string line; std::getline(lines, line);) {
    ++number;
    if (line.find("/* " + mark + " */") != std::string::npos) {
      return source.substr(source.rfind('/') + 1) + ":" + std::to_string(number);
    }
  }
  ADD_FAILURE() << "no line is marked " << mark;
  return {};
}

class HangTest : public JobTest {
 protected:
  void SetUp() override {
#ifndef WEFT_HAS_WHERE
    GTEST_SKIP() << "built without libdw";
#endif
  }
  static void expect_line(const std::string& text, const std::string& expression) {
    std::istringstream lines(text);
    bool found = false;
    for (std::string line; std::getline(lines, line);) found = found || std::regex_search(line, std::regex(expression));
    EXPECT_TRUE(found) << "no line matches: " << expression << "\n" << text;
  }
};

}  // namespace weft::fault
