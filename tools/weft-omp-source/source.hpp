// Directives in sources become what compilers understand: text to text.
#pragma once

#include <string>
#include <string_view>

#include "base/result.hpp"

namespace weft::source {

/// As a C or C++ compiler is to read it in the place of the file `name`: as many lines, or it is said where they begin.
/// The error begins with file and line.
base::Result<std::string> rewrite_c(std::string_view text, const std::string& name);
/// The same for Fortran; `fixed`: in columns.
base::Result<std::string> rewrite_fortran(std::string_view text, const std::string& name, bool fixed);

}  // namespace weft::source
