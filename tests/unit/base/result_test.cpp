#include "base/result.hpp"

#include <gtest/gtest.h>

namespace weft::base {
namespace {

TEST(Errors, AreOneLineWhateverTheyRepeat) {
  EXPECT_STREQ(Error::make("-n %s: no", "4\n5\r\x1b[2J\x7f\t6").text(), "-n 4?5??[2J??6: no");
  EXPECT_STREQ(Error::make("host %s", "m\xc3\xbcnchen").text(), "host m\xc3\xbcnchen");
}

}  // namespace
}  // namespace weft::base
