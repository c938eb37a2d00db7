// Mappings as people write them, in files and directives, and what weft-where says of variables: nothing that is taken
// for one lacks what is needed of it, and what is refused is told in a line.
#include "fuzz.hpp"
#include "omp/arrays/lines.hpp"
#include "omp/arrays/plan.hpp"
#include "omp/arrays/variables.hpp"

using namespace weft;
using fuzz::must;
using omp::mapping::Mapping;

namespace {

void check(const Mapping& mapping) {
  must(!mapping.array.name.empty(), "an array has a name");
  must(mapping.array.subscripts.size() <= omp::mapping::kMostDimensions, "it has few dimensions");
  must(!mapping.aligned || !mapping.with.name.empty(), "so has what it is aligned with");
}

// The plan for the array as it stands there is one that all of its bytes have a process by.
void check_plan(const Mapping& mapping, std::uint64_t bytes) {
  const auto placed = omp::arrays::place(mapping.array, 0x1000, bytes, 1, {});
  if (!placed) return fuzz::must_be_a_line(placed.error().text());
  const auto plan = omp::arrays::plan({{"u.map:1", mapping, mapping.array.order, *placed, *placed}}, {}, 3);
  if (!plan) return fuzz::must_be_a_line(plan.error().text());
  for (const std::uint64_t byte : {std::uint64_t{0}, bytes / 2, bytes - 1}) {
    const int owner = plan->arrays[0].pieces.owner(byte);
    must(owner >= 0 && owner < 3, "a byte is some process's");
    must(plan->arrays[0].pieces.end_of_piece(byte) > byte, "a piece ends behind it");
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto lines = omp::arrays::read_lines(text, "u.map");
  if (!lines) {
    fuzz::must_be_a_line(lines.error().text());
  } else {
    for (const auto& line : *lines) {
      check(line.mapping);
      check_plan(line.mapping, 4800);
      check_plan(line.mapping, size + 1);
    }
  }
  for (const bool columns : {false, true}) {
    const auto directive = omp::mapping::parse_directive(text, columns);
    if (!directive) {
      fuzz::must_be_a_line(directive.error().text());
    } else {
      for (const Mapping& mapping : *directive) check(mapping);
    }
    const auto affinity = omp::mapping::parse_affinity(text, columns);
    if (!affinity) fuzz::must_be_a_line(affinity.error().text());
  }
  for (const auto& variable : omp::arrays::read_answers(text)) {
    must(!variable.name.empty(), "a variable has a name");
    (void)omp::arrays::is_called(variable, text.substr(0, 40));
  }
  return 0;
}
