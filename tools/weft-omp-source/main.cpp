// weft-omp-source: what weft-ompcc and its like have a source become that has directives of Weft, before the compiler
// reads it.
//
//   weft-omp-source c FILE INTO
//
// Ends with 1 and a line where a directive is wrong.
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <iterator>
#include <string>

#include "source.hpp"

namespace {

int fail(const char* text) {
  (void)std::fprintf(stderr, "%s\n", text);
  return 1;
}

int fail_by(const char* file) {
  (void)std::fprintf(stderr, "weft-omp-source: %s: %s\n", file, std::strerror(errno));
  return 1;
}

}  // namespace

int main(int argc, char** argv) {
  const std::string form = argc == 4 ? argv[1] : "";
  if (form != "c" && form != "free" && form != "fixed") {
    return fail("usage: weft-omp-source c | free | fixed FILE INTO");
  }
  std::ifstream in(argv[2], std::ios::binary);
  const std::string text{std::istreambuf_iterator<char>(in), {}};
  if (!in && text.empty()) return fail_by(argv[2]);
  const auto made = form == "c" ? weft::source::rewrite_c(text, argv[2])
                                : weft::source::rewrite_fortran(text, argv[2], form == "fixed");
  if (!made) return fail(made.error().text());
  std::ofstream out(argv[3], std::ios::binary | std::ios::trunc);
  out << *made;
  out.close();
  return out ? 0 : fail_by(argv[3]);
}
