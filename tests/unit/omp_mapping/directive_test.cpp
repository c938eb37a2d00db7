#include "omp/mapping/directive.hpp"

#include <gtest/gtest.h>

#include <string>

namespace weft::omp::mapping {
namespace {

std::string shares(const Array& array) {
  std::string text = array.name + (array.order == Order::kColumns ? " columns" : "");
  for (const Subscript& each : array.subscripts) {
    text += " " + (each.extent.empty() ? "" : each.extent + ":");
    text += each.share == Share::kWhole    ? "*"
            : each.share == Share::kBlock  ? "block"
            : each.share == Share::kCyclic ? "cyclic" + std::to_string(each.many)
                                           : each.index;
  }
  return text;
}

std::string line(std::string_view text) {
  const auto parsed = parse_line(text);
  if (!parsed) return parsed.error().text();
  return shares(parsed->array) + (parsed->aligned ? " like " + shares(parsed->with) : "");
}

std::string directive(std::string_view text, bool columns = false) {
  const auto parsed = parse_directive(text, columns);
  if (!parsed) return parsed.error().text();
  std::string all;
  for (const Mapping& each : *parsed) {
    all += (all.empty() ? "" : "; ") + shares(each.array) + (each.aligned ? " like " + shares(each.with) : "");
  }
  return all;
}

TEST(OmpMapping, LinesOfAFile) {
  EXPECT_EQ(line("u: *,*,block"), "u * * block");
  EXPECT_EQ(line("u:block"), "u block");
  EXPECT_EQ(line("rhs: * , CYCLIC( 4 )"), "rhs * cyclic4");
  EXPECT_EQ(line("a::b: cyclic"), "a::b cyclic1");
  EXPECT_EQ(line("solve.c:u: block,*"), "solve.c:u block *");
  EXPECT_EQ(line("/fields/u: *,block"), "/fields/u * block");
  EXPECT_EQ(line("u[20][30]: block,*"), "u 20:block 30:*");
  EXPECT_EQ(line("u(20,30): *,block"), "u columns 20:* 30:block");
}

TEST(OmpMapping, AlignmentsOfAFile) {
  EXPECT_EQ(line("f: like u"), "f like u");
  EXPECT_EQ(line("f(i,j): like u(*,i,j)"), "f columns i j like u columns * i j");
  EXPECT_EQ(line("f[i]: LIKE main::u[i][*]"), "f i like main::u i *");
}

TEST(OmpMapping, LinesThatAreNone) {
  EXPECT_EQ(line("u"), "\"u\" is no mapping; one is as u: *,block or u: *,cyclic(4) or f: like u");
  EXPECT_EQ(line("u: blok").substr(0, 24), "\"u: blok\" is no mapping;");
  EXPECT_EQ(line(": block"), "\"\": the name of an array is missing");
  EXPECT_EQ(line("u: block,block"), "u is divided in 2 dimensions; divide it in one and write * for the others");
  EXPECT_EQ(line("u: *,5"), "\"5\": what becomes of a dimension is *, block, cyclic or cyclic(n)");
  EXPECT_EQ(line("u: cyclic(0)").substr(0, 34), "\"cyclic(0)\": cyclic takes a number");
  EXPECT_EQ(line("u: cyclic(x)").substr(0, 34), "\"cyclic(x)\": cyclic takes a number");
  EXPECT_EQ(line("u: *,i").substr(0, 9), "\"i\" of u:");
  EXPECT_EQ(line("u[20]: block,*").substr(0, 30), "u: in brackets stand 2 numbers");
  EXPECT_EQ(line("u[20: block").substr(0, 28), "\"[20\" is no list of subscrip");
  EXPECT_EQ(line("f(i): like u"),
            "which dimensions of f and u go together is said on both sides, as in f[i][*] like u[*][i]");
  EXPECT_EQ(line("f(i,i): like u(i,*)"), "f has i twice among its subscripts");
  EXPECT_EQ(line("f(i,*): like u(block,*)").substr(0, 20), "f is aligned with u,");
  EXPECT_EQ(line("f: like "), "\"\": the name of an array is missing");
}

TEST(OmpMapping, Directives) {
  EXPECT_EQ(directive("u[*][block]"), "u * block");
  EXPECT_EQ(directive("u[*][block], f[cyclic(2)]"), "u * block; f cyclic2");
  EXPECT_EQ(directive("p[n: block][2 * m: *]"), "p n:block 2 * m:*");
  EXPECT_EQ(directive("p[N::n: block]"), "p N::n:block");
  EXPECT_EQ(directive("s->u[rows(1, 2): block]"), "s->u rows(1, 2):block");
  EXPECT_EQ(directive("f[i][*] like u[*][i]"), "f i * like u * i");
  EXPECT_EQ(directive("f[i][*], u[*][i], v[block]"), "f i * like u * i; v block");
  EXPECT_EQ(directive("u(*,block), /c/v(block)", true), "u columns * block; /c/v columns block");
  EXPECT_EQ(directive("u[*][block]", true), "u: write its subscripts as Fortran does, as in u(*,block)");
  EXPECT_EQ(directive("u(*,block)"), "u: write its subscripts as C does, as in u[*][block]");
  EXPECT_EQ(directive("f[i][*]").substr(0, 9), "\"i\" of f:");
  EXPECT_EQ(directive("u"), "u: say what becomes of each dimension: *, block, cyclic or cyclic(n)");
  EXPECT_EQ(directive(""), "\"\": the name of an array is missing");
}

TEST(OmpMapping, Affinity) {
  EXPECT_EQ(shares(*parse_affinity("u[i][*]", false)), "u i *");
  EXPECT_EQ(shares(*parse_affinity(" u(*,j) ", true)), "u columns * j");
  for (const char* wrong : {"u", "u[*]", "u[i][j]", "u[block][i]", "u(i)", "u[i"}) {
    EXPECT_FALSE(parse_affinity(wrong, false)) << wrong;
  }
}

}  // namespace
}  // namespace weft::omp::mapping
