// What stands in the place of a directive in Fortran.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "loops.hpp"
#include "omp/mapping/directive.hpp"

namespace weft::source {

/// The next line is that of the file.
std::string marker(const std::string& file, std::size_t line);

/// Whole lines.
base::Result<std::string> mapping_in_fortran(const omp::mapping::Mapping& mapping, const std::string& file,
                                             std::size_t line, bool fixed);

/// What tells the library of the loop that comes next. The array has an index, which the loop is one of.
std::string affinity_in_fortran(const omp::mapping::Array& array, const Loop& loop, const std::string& file,
                                std::size_t line, bool fixed);
/// A directive for the compiler, of any length.
std::string omp_in_fortran(std::string_view text, bool fixed);

/// A call with these arguments, in lines that are not too long for either form, each of which is that line of the file.
std::string call_in_fortran(const std::string& routine, const std::vector<std::string>& arguments,
                            const std::string& file, std::size_t line, bool fixed);
/// As an argument that C can read, cut into pieces that a line has room for.
std::string text_in_fortran(std::string_view text);

}  // namespace weft::source
