#include "omp/arrays/plan.hpp"

#include <gtest/gtest.h>

#include <string>

#include "omp/arrays/lines.hpp"

namespace weft::omp::arrays {
namespace {

using mapping::Order;

Wish wish(const char* line, const Placed& array, Order order = Order::kRows, const Placed& with = {}) {
  return {"u.map:1", *mapping::parse_line(line), order, array, with};
}

std::string error_of(const std::vector<Wish>& wishes) {
  const auto made = plan(wishes, {}, 4);
  return made ? "" : made.error().text();
}

const Placed kU{0x1000, 10 * 20 * 30 * 8, 8, {10, 20, 30}};

TEST(OmpArraysPlan, RowsAndColumns) {
  const auto rows = plan({wish("u: *,block,*", kU)}, {}, 4);
  ASSERT_TRUE(rows);
  EXPECT_EQ(rows->arrays[0].pieces.period, 20U * 30 * 8);
  EXPECT_EQ(rows->arrays[0].pieces.piece, 5U * 30 * 8);
  EXPECT_EQ(rows->arrays[0].pieces.pes, 4);
  const auto columns = plan({wish("u: *,cyclic(3),*", kU, Order::kColumns)}, {}, 4);
  ASSERT_TRUE(columns);
  EXPECT_EQ(columns->arrays[0].pieces.period, 20U * 10 * 8);
  EXPECT_EQ(columns->arrays[0].pieces.piece, 3U * 10 * 8);
}

TEST(OmpArraysPlan, BlocksAreRoundedUp) {
  const auto made = plan({wish("u: block,*,*", kU)}, {}, 4);
  ASSERT_TRUE(made);
  EXPECT_EQ(made->arrays[0].pieces.piece, 3U * 20 * 30 * 8);
  EXPECT_EQ(made->arrays[0].pieces.owner(kU.bytes - 1), 3);
}

TEST(OmpArraysPlan, WhatIsNotDividedIsAtHomeAtOne) {
  const auto made = plan({wish("u: *,*,*", kU)}, {}, 4);
  ASSERT_TRUE(made);
  EXPECT_EQ(made->arrays[0].pieces.owner(kU.bytes - 1), 0);
}

TEST(OmpArraysPlan, AlignedInAnyOrder) {
  const Placed f{0x100000, 30 * 4, 4, {30}};
  const auto made = plan({wish("f[k]: like u[*][*][k]", f, Order::kRows, kU), wish("u: *,*,block", kU)}, {}, 4);
  ASSERT_TRUE(made);
  EXPECT_EQ(made->arrays[0].pieces.piece, 8U * 4);
  EXPECT_EQ(made->arrays[1].pieces.piece, 8U * 8);
  const auto later = plan({wish("f[k]: like u[*][*][k]", f, Order::kRows, kU)}, made->known, 4);
  ASSERT_TRUE(later);
  EXPECT_EQ(later->arrays[0].pieces.piece, 8U * 4);
}

TEST(OmpArraysPlan, WhatIsWrong) {
  const Placed v{0x100000, 10 * 20 * 8, 8, {10, 20}};
  EXPECT_EQ(
      error_of({wish("u: *,block", kU)}),
      "u.map:1: u has 3 dimensions, and the mapping says something of 2; say *, block, cyclic or cyclic(n) for each");
  EXPECT_EQ(error_of({wish("u: block,*,*", kU), wish("u: *,*,block", kU)}),
            "u.map:1: u is mapped already, at u.map:1; take one of the two out");
  EXPECT_EQ(error_of({wish("v: like u", v, Order::kRows, kU)}),
            "u.map:1: of v and u the first has 2 dimensions and the other one 3; say which of them go together, as in "
            "f(i,j): like u(*,i,j)");
  EXPECT_EQ(
      error_of({wish("v[i][*]: like u[*][i][*]", v, Order::kRows, kU)}),
      "u.map:1: dimension 1 of v has 10 elements, and dimension 2 of u, with which it goes, has 20; they must have as "
      "many");
  EXPECT_EQ(error_of({wish("v[i][*]: like u[i][*][*]", v, Order::kRows, kU)}),
            "u.map:1: v is to be like u, which is not mapped; map that, too");
  EXPECT_EQ(error_of({wish("v[i][*]: like u[i][*][*]", v, Order::kRows, kU), wish("u: *,block,*", kU)}),
            "u.map:1: u is divided in dimension 2, with which none of v goes; name it on both sides");
  EXPECT_EQ(error_of({wish("v[i][*]: like u[i][*][*]", v, Order::kRows, kU),
                      wish("u[i][*][*]: like v[i][*]", kU, Order::kRows, v)}),
            "u.map:1: v is aligned with u, which leads back to it; map one of the arrays by itself");
}

TEST(OmpArraysPlan, DimensionsThatAreSaid) {
  const auto line = mapping::parse_line("u[20][30]: block,*");
  EXPECT_EQ(place(line->array, 0x1000, 4800, 1, {})->element, 8U);
  EXPECT_EQ(std::string(place(line->array, 0x1000, 4801, 1, {}).error().text()),
            "u has 4801 bytes, which is no multiple of the numbers in its brackets; they are how many elements each "
            "dimension has");
  const auto short_line = mapping::parse_line("u: block,*");
  EXPECT_FALSE(place(short_line->array, 0x1000, 4800, 1, {}));
  EXPECT_TRUE(place(mapping::parse_line("u: block")->array, 0x1000, 4800, 1, {}));
  EXPECT_FALSE(place(mapping::parse_line("u: cyclic")->array, 0x1000, 4800, 1, {}));
}

TEST(OmpArraysPlan, LinesAreCounted) {
  const auto lines = read_lines("# homes\nu: block # rows\n\n  v: like u\n", "u.map");
  ASSERT_TRUE(lines);
  ASSERT_EQ(lines->size(), 2U);
  EXPECT_EQ((*lines)[1].where, "u.map:4");
  EXPECT_EQ(std::string(read_lines("u: block\nv", "u.map").error().text()).substr(0, 13), "u.map:2: \"v\" ");
  EXPECT_EQ((*read_inline("u: block; v: like u;", "WEFT_OMP_MAP"))[1].where, "WEFT_OMP_MAP, mapping 2");
  EXPECT_FALSE(is_inline("maps/u.map"));
}

}  // namespace
}  // namespace weft::omp::arrays
