#include "omp/arrays/lines.hpp"

#include <algorithm>

namespace weft::omp::arrays {
namespace {

using base::Error;
using base::Result;

Result<void> add(std::string_view text, std::string where, std::vector<Line>& into) noexcept {
  text = mapping::trimmed(text.substr(0, text.find('#')));
  if (text.empty()) {
    return {};
  }
  const auto parsed = mapping::parse_line(text);
  if (!parsed) {
    return Error::make("%s: %s", where.c_str(), parsed.error().text());
  }
  into.push_back({std::move(where), *parsed});
  return {};
}

Result<std::vector<Line>> read(std::string_view text, char separator, const std::string& before) noexcept {
  std::vector<Line> lines;
  for (std::size_t number = 1;; ++number) {
    const std::size_t end = std::min(text.find(separator), text.size());
    if (const auto added = add(text.substr(0, end), before + std::to_string(number), lines); !added) {
      return added.error();
    }
    if (end == text.size()) {
      return lines;
    }
    text.remove_prefix(end + 1);
  }
}

}  // namespace

Result<std::vector<Line>> read_lines(std::string_view text, const std::string& file) noexcept {
  return read(text, '\n', file + ":");
}

Result<std::vector<Line>> read_inline(std::string_view option, const std::string& name) noexcept {
  return read(option, ';', name + ", mapping ");
}

}  // namespace weft::omp::arrays
