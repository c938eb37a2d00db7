// Data mapping: arrays of the program whose pages are at home where somebody has said, instead of where they are
// written first.
#pragma once

#include <cstdint>

#include "base/result.hpp"

namespace weft::omp::program {

/// In all processes, before the program's constructors; a barrier. Process 0 looks up what the option says, and ends
/// the program with a line where that cannot be. `option`: null, there are none.
void map_arrays(const char* option) noexcept;

/// The process at which the byte there is to be at home; -1: nobody has said so.
int home_of(const void* address) noexcept;

}  // namespace weft::omp::program
