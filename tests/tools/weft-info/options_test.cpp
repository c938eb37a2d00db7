// Options of a front end beside OpenSHMEM, with a table that is made up.
#include <gtest/gtest.h>

#include <cstdlib>

#include "about.hpp"
#include "base/options.hpp"

namespace weft::info {
namespace {

constexpr const char* kOrders[] = {"sent", "any", nullptr};
constexpr base::OptionChoices kChoices[] = {{"copy", kOrders}};
constexpr base::OptionText kTexts[] = {
    {"copy", "word", "WEFT_TOY_COPY", "", "sent", "has an identifier of another table's"},
    {"loud", "flag", "WEFT_TOY_LOUD", "", "", "tells of each message"}};
constexpr base::OptionTable kToy{"Toy", kTexts, kChoices};

TEST(Options, SayWhoseTheyAre) {
  ::setenv("WEFT_TOY_LOUD", "", 1);
  std::vector<Option> options;
  add_options(kToy, options);
  ASSERT_EQ(options.size(), 2U);
  EXPECT_EQ(options[0].interface, "Toy");
  EXPECT_EQ(options[0].value, "sent");
  ASSERT_EQ(options[0].choices.size(), 2U);
  EXPECT_EQ(options[0].choices[1].name, "any");
  EXPECT_EQ(options[0].choices[1].text, "") << "a text of WEFT_COPY's choices";
  EXPECT_EQ(options[1].value, "on");
  EXPECT_EQ(options[1].origin, "environment");
}

TEST(Options, OfAllAreApartFromThoseOfOpenShmem) {
  std::vector<Option> options;
  add_options(base::own_options(), options);
  ASSERT_EQ(options.size(), static_cast<std::size_t>(base::kOptionCount));
  for (const Option& option : options) {
    EXPECT_EQ(option.interface, option.name.rfind("SHMEM_", 0) == 0 ? "OpenSHMEM" : "Weft") << option.name;
  }
}

}  // namespace
}  // namespace weft::info
