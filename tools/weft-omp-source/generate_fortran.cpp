#include "generate_fortran.hpp"

#include <algorithm>

namespace weft::source {
namespace {

using base::Error;
using base::Result;
using omp::mapping::Array;
using omp::mapping::Mapping;
using omp::mapping::Share;
using omp::mapping::Subscript;

constexpr std::size_t kLongestName = 40;
// Between pieces a line may end.
constexpr char kBreak = '\n';

std::string written(const Array& array) {
  std::string text = array.name;
  for (std::size_t k = 0; k < array.subscripts.size(); ++k) {
    const Subscript& each = array.subscripts[k];
    text += k == 0 ? "(" : ",";
    text += each.share == Share::kWhole    ? "*"
            : each.share == Share::kBlock  ? "block"
            : each.share == Share::kCyclic ? "cyclic(" + std::to_string(each.many) + ")"
                                           : each.index;
  }
  return text + (array.subscripts.empty() ? "" : ")");
}

Result<void> check(const Array& array) {
  const bool has_extents = std::any_of(array.subscripts.begin(), array.subscripts.end(),
                                       [](const Subscript& each) { return !each.extent.empty(); });
  if (has_extents) {
    return Error::make("%.60s: Fortran knows how many elements its dimensions have; write u(*,block)",
                       array.name.c_str());
  }
  if (array.name.size() > kLongestName) {
    return Error::make("%.60s: the name is too long for a directive; point to the array by a shorter one",
                       array.name.c_str());
  }
  return {};
}

// As the library reads it (src/omp/directives).
std::string described(const std::string& name) {
  std::string text = "(/loc(" + name + "),";
  for (const char* part : {"int(storage_size(", "int(size(shape(", "int(shape("}) {
    const bool is_size = std::string_view(part).starts_with("int(size");
    text += std::string(1, kBreak) + part + name + (is_size ? ")),8)," : "),8),");
  }
  text.pop_back();
  return text + "/)";
}

}  // namespace

std::string marker(const std::string& file, std::size_t line) {
  std::string text = "# " + std::to_string(line) + " \"";
  for (const char c : file) {
    if (c == '"' || c == '\\') text += '\\';
    text += c;
  }
  return text + "\"\n";
}

std::string text_in_fortran(std::string_view text) {
  constexpr std::size_t kPiece = 24;
  std::string all;
  for (std::size_t k = 0; k < text.size(); k += kPiece) {
    all += "'";
    for (const char c : text.substr(k, kPiece)) {
      all += c;
      if (c == '\'') all += c;
    }
    all += std::string("'//") + kBreak;
  }
  return all + "char(0)";
}

std::string call_in_fortran(const std::string& routine, const std::vector<std::string>& arguments,
                            const std::string& file, std::size_t line, bool fixed) {
  std::string joined = "call " + routine + "(";
  for (std::size_t k = 0; k < arguments.size(); ++k) {
    joined += kBreak + arguments[k] + (k + 1 == arguments.size() ? ")" : ",");
  }
  const std::string mark = marker(file, line);
  std::string text = mark + "      ";
  for (const char c : joined) {
    text += c == kBreak ? (fixed ? "\n" + mark + "     & " : "&\n" + mark + "      ") : std::string(1, c);
  }
  return text + "\n";
}

std::string affinity_in_fortran(const Array& array, const Loop& loop, const std::string& file, std::size_t line,
                                bool fixed) {
  std::vector<std::string> arguments;
  std::string lower;
  for (const bool second : {false, true}) {
    std::string place = "loc(" + array.name + "(";
    for (std::size_t k = 0; k < array.subscripts.size(); ++k) {
      const std::string of = "(" + array.name + "," + std::to_string(k + 1) + ")";
      const bool is_index = array.subscripts[k].share == Share::kIndex;
      const std::string least = "lbound" + of;
      if (is_index) lower = least;
      // Where the dimension has one element only there is no second one to name.
      place.append(k == 0 ? "" : ",").append(1, kBreak);
      place +=
          is_index && second ? std::string("min(").append(least).append("+1,ubound").append(of).append(")") : least;
    }
    arguments.push_back(place + "))");
  }
  for (const std::string& number : {lower, loop.begin, loop.step}) arguments.push_back("int(" + number + ",8)");
  return call_in_fortran("weft_omp_affinity", arguments, file, line, fixed);
}

std::string omp_in_fortran(std::string_view text, bool fixed) {
  constexpr std::size_t kLine = 60;
  std::string all;
  for (const char* sentinel = "!$omp "; !text.empty(); sentinel = "!$omp& ") {
    std::size_t end = std::min(text.find_first_of(" ,", std::min(kLine, text.size())), text.size());
    end = end < text.size() ? end + 1 : end;
    all += sentinel + std::string(text.substr(0, end));
    text.remove_prefix(end);
    all += text.empty() || fixed ? "\n" : " &\n";
  }
  return all;
}

Result<std::string> mapping_in_fortran(const Mapping& mapping, const std::string& file, std::size_t line, bool fixed) {
  for (const Array* array : {&mapping.array, &mapping.with}) {
    if (const auto checked = check(*array); !checked) return checked.error();
  }
  const std::string text = written(mapping.array) + (mapping.aligned ? " like " + written(mapping.with) : "");
  std::vector<std::string> arguments = {text_in_fortran(file), std::to_string(line) + "_8", text_in_fortran(text)};
  arguments.push_back(described(mapping.array.name));
  arguments.push_back(mapping.aligned ? described(mapping.with.name) : "(/0_8,0_8,0_8/)");
  return call_in_fortran("weft_omp_map_array", arguments, file, line, fixed);
}

}  // namespace weft::source
