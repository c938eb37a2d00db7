#include "base/nearest.hpp"

#include <gtest/gtest.h>

#include <string>

namespace weft::base {
namespace {

constexpr std::string_view kWords[] = {"--check", "--json", "--version", "-n"};

TEST(Nearest, FindsTheWordOfASlip) {
  EXPECT_EQ(nearest("--chek", kWords), "--check");
  EXPECT_EQ(nearest("--jsno", kWords), "--json");  // two letters swapped are one slip
  EXPECT_EQ(nearest("--verson", kWords), "--version");
  EXPECT_EQ(nearest("check", kWords), "--check");
  EXPECT_EQ(nearest("--check", kWords), "--check");
}

TEST(Nearest, SaysNothingAboutAWordThatIsFarFromAll) {
  EXPECT_EQ(nearest("--picture", kWords), "");
  EXPECT_EQ(nearest("", kWords), "");
  EXPECT_EQ(nearest("-m", kWords), "-n");
  EXPECT_EQ(nearest("x", kWords), "");  // nothing of it is left
  EXPECT_EQ(nearest("xyz", kWords), "");
}

TEST(Nearest, LooksAtTheBeginningOfALongWord) { EXPECT_EQ(nearest(std::string(100000, 'x'), kWords), ""); }

}  // namespace
}  // namespace weft::base
