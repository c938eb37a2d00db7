#include "launch/processes/variables.hpp"

#include <gtest/gtest.h>

#include <cstdlib>

namespace weft::launch::processes {
namespace {

constexpr const char* kName = "WEFT_TEST_OF_VARIABLES";

TEST(Variables, ThePartsOwnValueWins) {
  ASSERT_EQ(::setenv(kName, "/outer", 1), 0);
  ProgramPart part;
  EXPECT_EQ(value_of(part, kName), "/outer");
  part.environment = {"WEFT_TEST_OF_VARIABLES_TOO=/no", std::string(kName) + "=/first", std::string(kName) + "=/last"};
  EXPECT_EQ(value_of(part, kName), "/last");
  put_first(part, kName, "/new");
  put_first(part, kName, "/newer");
  EXPECT_EQ(part.environment.size(), 2U) << "one value of each variable is left";
  EXPECT_EQ(value_of(part, kName), "/newer:/new:/last");
  ASSERT_EQ(::unsetenv(kName), 0);
}

TEST(Variables, NothingIsBeforeTheFirst) {
  ASSERT_EQ(::unsetenv(kName), 0);
  ProgramPart part;
  EXPECT_EQ(value_of(part, kName), "");
  put_first(part, kName, "/only");
  EXPECT_EQ(value_of(part, kName), "/only") << "an empty piece would be the working folder";
}

}  // namespace
}  // namespace weft::launch::processes
