// The table of options that a second interface has (toy/), beside that of all of Weft: read and checked by the same
// parser.
#include <gtest/gtest.h>

#include <map>
#include <string>

#include "base/options.hpp"

#include "api/option_tables.inc"
#include "api/toy/options.inc"

namespace weft {
namespace {

std::map<std::string, std::string> g_variables;

const char* look_up(const char* name) noexcept {
  const auto found = g_variables.find(name);
  return found == g_variables.end() ? nullptr : found->second.c_str();
}

class OptionsOfAnInterface : public testing::Test {
 protected:
  void SetUp() override { g_variables.clear(); }
  static api::toy::Options read() {
    const auto options = api::toy::read_options(look_up);
    EXPECT_TRUE(options) << options.error().text();
    return options ? *options : api::toy::Options{};
  }
  static std::string mistake() {
    const auto options = api::toy::read_options(look_up);
    const auto checked = base::check_options(api::toy::kOptions, look_up);
    EXPECT_FALSE(options);
    EXPECT_FALSE(checked);
    if (options || checked) return "none";
    EXPECT_STREQ(options.error().text(), checked.error().text()) << "who reads and who checks say the same";
    return options.error().text();
  }
};

TEST_F(OptionsOfAnInterface, HaveTheDefaultsOfTheirTable) {
  const api::toy::Options options = read();
  EXPECT_EQ(options.order.choice, 0);
  EXPECT_EQ(options.eager.value, 4096U);
  EXPECT_FALSE(options.eager.given);
  EXPECT_EQ(options.boxes.value, base::kAuto);
  EXPECT_FALSE(options.loud.on);
  EXPECT_EQ(options.trace.value, nullptr);
}

TEST_F(OptionsOfAnInterface, AreReadByTheirNames) {
  g_variables = {{"WEFT_TOY_ORDER", "any"},
                 {"TOY_EAGER", "1.5k"},
                 {"WEFT_TOY_BOXES", "7"},
                 {"WEFT_TOY_LOUD", ""},
                 {"WEFT_TOY_TRACE", "a"}};
  const api::toy::Options options = read();
  EXPECT_EQ(options.order.choice, 1);
  EXPECT_EQ(options.eager.value, 1536U);
  EXPECT_TRUE(options.eager.given);
  EXPECT_EQ(options.boxes.value, 7);
  EXPECT_TRUE(options.loud.on);
  EXPECT_STREQ(options.trace.value, "a");
  g_variables["WEFT_TOY_EAGER"] = "8k";
  EXPECT_EQ(read().eager.value, 8192U) << "the newer name wins";
}

TEST_F(OptionsOfAnInterface, ThatAreWrongAreToldOfInOneLine) {
  g_variables = {{"WEFT_TOY_ORDER", "alphabetical"}};
  EXPECT_EQ(mistake(), "WEFT_TOY_ORDER=alphabetical is not known; choose one of: sent, any");
  g_variables = {{"WEFT_TOY_BOXES", "-1"}};
  EXPECT_EQ(mistake(), "WEFT_TOY_BOXES=-1 is not a whole number; give a number from 0 up, or auto");
  g_variables = {{"TOY_EAGER", "much"}};
  EXPECT_EQ(
      mistake(),
      "TOY_EAGER=much is not a number; give a positive number and at most one of k, m, g, t, such as 512m or 1.5g");
}

TEST_F(OptionsOfAnInterface, DoNotConcernOthers) {
  g_variables = {{"WEFT_TOY_ORDER", "alphabetical"}};
  EXPECT_TRUE(base::read_options(look_up));
  EXPECT_TRUE(base::check_options(base::own_options(), look_up));
  g_variables = {{"WEFT_SPIN", "often"}};
  EXPECT_TRUE(api::toy::read_options(look_up));
  const auto own = base::check_options(base::own_options(), look_up);
  ASSERT_FALSE(own);
  EXPECT_STREQ(own.error().text(), "WEFT_SPIN=often is not a whole number; give a number from 0 up, or auto");
}

// As oshrun and weft-agent, which do not know yet whose the program is.
TEST_F(OptionsOfAnInterface, ConcernWhoStartsItsProcesses) {
  g_variables = {{"WEFT_TOY_ORDER", "alphabetical"}, {"WEFT_SPIN", "12"}};
  const auto wrong = base::read_options_with(api::option_tables(), look_up);
  ASSERT_FALSE(wrong);
  EXPECT_STREQ(wrong.error().text(), mistake().c_str());
  g_variables = {{"WEFT_TOY_ORDER", "any"}, {"WEFT_SPIN", "12"}};
  const auto right = base::read_options_with(api::option_tables(), look_up);
  ASSERT_TRUE(right);
  EXPECT_EQ(right->spin.value, 12);
  g_variables = {{"WEFT_TOY_ORDER", "any"}, {"WEFT_SPIN", "often"}};
  EXPECT_FALSE(base::read_options_with(api::option_tables(), look_up));
}

TEST_F(OptionsOfAnInterface, AreAmongAllTables) {
  ASSERT_EQ(api::option_tables().size(), 1U);
  const base::OptionTable& table = *api::option_tables()[0];
  EXPECT_STREQ(table.interface, "Toy");
  ASSERT_EQ(table.options.size(), 5U);
  EXPECT_STREQ(table.options[0].name, "WEFT_TOY_ORDER");
  ASSERT_NE(table.choices_of("order"), nullptr);
  EXPECT_STREQ(table.choices_of("order")[1], "any");
  EXPECT_EQ(table.choices_of("eager"), nullptr);
}

}  // namespace
}  // namespace weft
