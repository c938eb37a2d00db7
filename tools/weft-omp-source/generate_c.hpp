// What stands in the place of a directive in C and C++ (include/weft/omp_directives.h).
#pragma once

#include <string>

#include "base/result.hpp"
#include "loops.hpp"
#include "omp/mapping/directive.hpp"

namespace weft::source {

std::string quoted(std::string_view text);

/// On one line. An array that has said how large it is is mapped when the program comes there, others at its start.
/// `number`: of the mapping in its file.
base::Result<std::string> mapping_in_c(const omp::mapping::Mapping& mapping, const std::string& text,
                                       const std::string& file, int line, int number);

/// What tells the library of the loop that comes next.
std::string affinity_in_c(const omp::mapping::Array& array, const Loop& loop);

/// As it is written in a directive.
std::string text_of(const omp::mapping::Mapping& mapping);

}  // namespace weft::source
