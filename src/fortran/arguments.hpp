// Arguments of the Fortran routines: default INTEGERs that are numbers of elements.
#pragma once

#include <cstddef>

namespace weft::fortran {

/// A number of elements; a negative one ends the program.
std::size_t count(const char* argument, const int* number) noexcept;

/// The same for reductions, whose C routines take an int.
int reduce_count(const int* number) noexcept;

}  // namespace weft::fortran
