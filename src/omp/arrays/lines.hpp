// The lines of a file of mappings, or of the option itself.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "omp/mapping/directive.hpp"

namespace weft::omp::arrays {

struct Line {
  std::string where;
  mapping::Mapping mapping;
};

/// An option with a colon in it is the mappings themselves, with semicolons between them.
inline bool is_inline(std::string_view option) noexcept { return option.find(':') != std::string_view::npos; }
/// A line for each mapping; what stands behind # is for people.
base::Result<std::vector<Line>> read_lines(std::string_view text, const std::string& file) noexcept;
base::Result<std::vector<Line>> read_inline(std::string_view option, const std::string& name) noexcept;

}  // namespace weft::omp::arrays
