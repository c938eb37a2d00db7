#include "omp/arrays/variables.hpp"

#include <gtest/gtest.h>

#include "omp/sites/mapped.hpp"

// Found by their symbols.
extern "C" {
double omp_arrays_table[40];
float omp_arrays_common_[10];
}
namespace omp_arrays {
int field[30];
}

namespace weft::omp::arrays {
namespace {

constexpr const char* kAnswers =
    "u\tmain::\tsolve.c:3\tfc60\t72\t4\trows\t9,2\n"
    "u\t/fields/\tbt.f:7\t4760\t840\t4\tcolumns\t5,6,7\n"
    "u\t/fields/\tsp.f:9\t4760\t840\t4\tcolumns\t210\n"
    "p\t\tsolve.c:1\tfc10\t8\t0\tpointer\t\n"
    "t\t\tsolve.c:1\t0\t80\t8\tthread\t10\n"
    "bad\t\tsolve.c:1\tfc10\t80\t8\trows\t9\n"
    "bad\t\tsolve.c:1\n"
    "al\tm::\tm.f90:3\t4080\t0\t0\tallocated\t\n";

std::string chosen(std::string_view name, std::size_t dimensions = 0) {
  std::vector<Variable> candidates;
  for (const Variable& each : read_answers(kAnswers)) {
    if (is_called(each, name)) candidates.push_back(each);
  }
  const auto one = choose(name, candidates, dimensions);
  return one ? one->scopes + one->name + " " + std::to_string(one->extents.size()) : one.error().text();
}

TEST(OmpArraysVariables, ByScopes) {
  EXPECT_EQ(chosen("main::u"), "main::u 2");
  EXPECT_EQ(chosen("solve.c:u"), "main::u 2");
  EXPECT_EQ(chosen("solve.c:main::u"), "main::u 2");
  EXPECT_EQ(chosen("/FIELDS/U"), "/fields/u 3");
  EXPECT_EQ(chosen("/fields/u", 1), "/fields/u 1");
  EXPECT_EQ(
      chosen("u"),
      "u may be each of 2 variables: main::u (solve.c:3), /fields/u (bt.f:7); say which by its file, function, module "
      "or block, as in solve.c:u, main::u, /fields/u");
}

TEST(OmpArraysVariables, WhatCannotBeMapped) {
  EXPECT_EQ(chosen("x"),
            "the program has no static variable x; memory that it allocates is mapped by a directive in its source");
  EXPECT_EQ(chosen("bad"), chosen("x").replace(chosen("x").find(" x;") + 1, 1, "bad"));
  EXPECT_EQ(chosen("p"),
            "p (solve.c:1) is a pointer, and no array; map it by a directive in the source, where it has been "
            "allocated");
  EXPECT_EQ(chosen("al"),
            "m::al (m.f90:3) is allocated when the program runs; map it by a directive in the source, where it "
            "has been allocated");
  EXPECT_EQ(chosen("t"), "t (solve.c:1) is each thread's own; only what all share has a place to be mapped to");
}

TEST(OmpArraysVariables, Symbols) {
  const sites::Mapped file("/proc/self/exe");
  ASSERT_TRUE(file);
  const auto bytes_of = [&](std::string_view name) {
    const auto found = in_symbols(file.bytes(), name);
    return found.size() == 1 ? found[0].bytes : 0;
  };
  EXPECT_EQ(bytes_of("omp_arrays_table"), sizeof omp_arrays_table);
  EXPECT_EQ(bytes_of("some.c:omp_arrays_table"), sizeof omp_arrays_table);
  EXPECT_EQ(bytes_of("/OMP_arrays_common/"), sizeof omp_arrays_common_);
  EXPECT_EQ(bytes_of("omp_arrays::field"), sizeof ::omp_arrays::field);
  EXPECT_EQ(bytes_of("omp_arrays_nothing"), 0U);
}

}  // namespace
}  // namespace weft::omp::arrays
