// Sources that may have directives of Weft: what becomes of any text has its lines, in C where the compiler is told
// nothing else, and what is refused is told in a line that begins with a place.
#include "source.hpp"

#include <algorithm>

#include "fuzz.hpp"

using weft::fuzz::must;

namespace {

constexpr const char* kName = "dir/some \"name\".c";

void check_error(std::string_view text) {
  weft::fuzz::must_be_a_line(text);
  must(text.starts_with(kName), "it begins with the file");
}

bool has(std::string_view text, std::string_view word) { return text.find(word) != std::string_view::npos; }

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto c = weft::source::rewrite_c(text, kName);
  if (!c) {
    check_error(c.error().text());
  } else {
    must(c->starts_with("#include <weft/omp_directives.h>\n#line 1 \"dir/some \\\"name\\\".c\"\n"),
         "it has a beginning");
    const std::string rest = c->substr(c->find('\n', c->find('\n') + 1) + 1);
    if (!has(text, "omni") && !has(text, "weft") && !has(text, "affinity")) {
      must(rest == text, "what has no directive is as it was");
    }
  }
  for (const bool fixed : {false, true}) {
    const auto fortran = weft::source::rewrite_fortran(text, kName, fixed);
    if (!fortran) {
      check_error(fortran.error().text());
    } else if (!has(text, "$")) {
      must(fortran->substr(fortran->find('\n') + 1) == text, "what has no directive is as it was");
    }
  }
  return 0;
}
