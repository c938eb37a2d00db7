#include "report/words.hpp"

#include <gtest/gtest.h>

namespace weft::report {
namespace {

TEST(Words, NumbersHaveCommas) {
  EXPECT_EQ(number(0), "0");
  EXPECT_EQ(number(999), "999");
  EXPECT_EQ(number(1000), "1,000");
  EXPECT_EQ(number(1234567), "1,234,567");
}

TEST(Words, BytesAndSecondsHaveThreeDigits) {
  EXPECT_EQ(bytes(0), "0 B");
  EXPECT_EQ(bytes(1023), "1023 B");
  EXPECT_EQ(bytes(1024), "1.00 KiB");
  EXPECT_EQ(bytes(1024 * 1024 - 1), "1.00 MiB");
  EXPECT_EQ(bytes(std::uint64_t{40} << 30), "40.0 GiB");
  EXPECT_EQ(seconds(0), "0");
  EXPECT_EQ(seconds(12.34), "12.3 s");
  EXPECT_EQ(seconds(0.99951), "1.00 s");
  EXPECT_EQ(seconds(0.0123), "12.3 ms");
  EXPECT_EQ(seconds(4.5e-7), "450 ns");
}

TEST(Words, ALittleIsNotNothing) {
  EXPECT_EQ(percent(0, 5), "0 %");
  EXPECT_EQ(percent(0.001, 5), "<1 %");
  EXPECT_EQ(percent(1, 3), "33 %");
  EXPECT_EQ(percent(1, 0), "0 %");
}

TEST(Words, ColumnsKeepTheirWidth) {
  EXPECT_EQ(right("ab", 4), "  ab");
  EXPECT_EQ(left("ab", 4), "ab  ");
  EXPECT_EQ(tail("solve at solver.c:88", 12), "..olver.c:88");
  EXPECT_EQ(count_of(1, "put"), "1 put");
  EXPECT_EQ(count_of(2, "put"), "2 puts");
}

}  // namespace
}  // namespace weft::report
