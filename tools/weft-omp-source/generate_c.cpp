#include "generate_c.hpp"

#include <algorithm>

namespace weft::source {
namespace {

using base::Error;
using base::Result;
using omp::mapping::Array;
using omp::mapping::Mapping;
using omp::mapping::Share;
using omp::mapping::Subscript;

bool has_extents(const Array& array) {
  return std::any_of(array.subscripts.begin(), array.subscripts.end(),
                     [](const Subscript& each) { return !each.extent.empty(); });
}

// The first of its elements in the first `levels` dimensions.
std::string first_of(const Array& array, std::size_t levels) {
  std::string text = "(" + array.name + ")";
  for (std::size_t k = 0; k < levels; ++k) text += "[0]";
  return text;
}

std::string assertion(const std::string& holds, const std::string& otherwise) {
  return "WEFT_OMP_ASSERT(" + holds + ", " + quoted(otherwise) + "); ";
}

// The compiler's errors of what follows would be about code that nobody has written.
std::string assertions(const Array& array) {
  const std::size_t dimensions = array.subscripts.size();
  std::string text;
  for (std::size_t k = 0; k < dimensions; ++k) {
    if (!array.subscripts[k].extent.empty() && k == 0) continue;
    const std::string what = k == 0 ? array.name : "an element of dimension " + std::to_string(k) + " of " + array.name;
    text += assertion("WEFT_OMP_IS_ARRAY(" + first_of(array, k) + ")",
                      "mapping: " + what +
                          " is no array; say of memory that was allocated how many elements it has, in one "
                          "dimension or with rows that are arrays, as in p[n: block]");
  }
  return text + assertion("!WEFT_OMP_IS_ARRAY(" + first_of(array, dimensions) + ")",
                          "mapping: " + array.name + " has more dimensions than the " + std::to_string(dimensions) +
                              " of the mapping; say something of each");
}

std::string described(const Array& array) {
  if (array.name.empty()) return "{0, 0, 0, {0}}";
  const std::size_t dimensions = array.subscripts.size();
  std::string text = "{(const void*)(" + array.name + "), sizeof(" + first_of(array, dimensions) + "), " +
                     std::to_string(dimensions) + ", {";
  for (std::size_t k = 0; k < dimensions; ++k) {
    const std::string& extent = array.subscripts[k].extent;
    text += (k == 0 ? "" : ", ");
    text += extent.empty() ? "WEFT_OMP_EXTENT(" + first_of(array, k) + ")" : "WEFT_OMP_NUMBER(" + extent + ")";
  }
  return text + "}}";
}

std::string written(const Array& array) {
  std::string text = array.name;
  for (const Subscript& each : array.subscripts) {
    text += "[";
    text += each.share == Share::kWhole    ? "*"
            : each.share == Share::kBlock  ? "block"
            : each.share == Share::kCyclic ? "cyclic(" + std::to_string(each.many) + ")"
                                           : each.index;
    text += "]";
  }
  return text;
}

}  // namespace

std::string affinity_in_c(const Array& array, const Loop& loop) {
  std::string places;
  for (const char* const index : {"[0]", "[1]"}) {
    places += "&(" + array.name + ")";
    for (const Subscript& each : array.subscripts) places += each.share == Share::kIndex ? index : "[0]";
    places += ", ";
  }
  return "weft_omp_affinity(" + places + "0, (long long)" + loop.begin + ", (long long)" + loop.step + ");";
}

std::string quoted(std::string_view text) {
  std::string all = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') all += '\\';
    all += c;
  }
  return all + '"';
}

std::string text_of(const Mapping& mapping) {
  return written(mapping.array) + (mapping.aligned ? " like " + written(mapping.with) : "");
}

Result<std::string> mapping_in_c(const Mapping& mapping, const std::string& text, const std::string& file, int line,
                                 int number) {
  if (mapping.aligned && mapping.array.subscripts.empty()) {
    return Error::make("%.60s and %.60s: say which of their dimensions go together, as in f[i][*] like u[i][*]",
                       mapping.array.name.c_str(), mapping.with.name.c_str());
  }
  const bool now = has_extents(mapping.array) || has_extents(mapping.with);
  const std::string values = "{WEFT_OMP_MAPPING_MAGIC, " + quoted(file) + ", " + std::to_string(line) + ", " +
                             quoted(text) + ", 0, " + described(mapping.array) + ", " + described(mapping.with) + "}";
  const std::string checks = assertions(mapping.array) + (mapping.aligned ? assertions(mapping.with) : "");
  if (now) {
    return "{ " + checks + "struct weft_omp_mapping weft_omp_it = " + values + "; weft_omp_map(&weft_omp_it); }";
  }
  return checks + "WEFT_OMP_STATIC weft_omp_map_" + std::to_string(line) + "_" + std::to_string(number) + " = " +
         values + ";";
}

}  // namespace weft::source
