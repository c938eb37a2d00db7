// What is said of arrays of the program: by the option, by directives that the compiler has seen, and by one that the
// program has come to.
#pragma once

#include <vector>

#include "base/result.hpp"
#include "omp/arrays/plan.hpp"
#include "weft/omp_directives.h"

namespace weft::omp::program {

/// When statics are shared. Errors begin with the place.
base::Result<std::vector<arrays::Wish>> wishes_of_option(const char* option) noexcept;
base::Result<std::vector<arrays::Wish>> wishes_of_program() noexcept;
base::Result<arrays::Wish> wish_of(const weft_omp_mapping& directive) noexcept;

}  // namespace weft::omp::program
