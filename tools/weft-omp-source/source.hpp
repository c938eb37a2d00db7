// Directives in sources become what compilers understand: text to text.
#pragma once

#include <string>
#include <string_view>

#include "base/result.hpp"

namespace weft::source {

/// As a C or C++ compiler is to read it in the place of the file `name`: as many lines, or it is said where they begin.
/// The error begins with file and line.
base::Result<std::string> rewrite_c(std::string_view text, const std::string& name);
/// Of what a preprocessor has made of one file and its headers: lines such as `# 3 "a.h" 1` say where what follows
/// stands, and what the calls need is there.
base::Result<std::string> rewrite_joined_c(std::string_view text, const std::string& name);
/// As rewrite_c for Fortran; `fixed`: in columns.
base::Result<std::string> rewrite_fortran(std::string_view text, const std::string& name, bool fixed);

}  // namespace weft::source
