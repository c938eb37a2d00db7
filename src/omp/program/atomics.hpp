// Atomic instructions of the program on memory that several machines share: at the home of the word.
#pragma once

#include "base/result.hpp"

namespace weft::omp::program {

/// In all processes, when memory and statics are shared by pages, and before the program's constructors; a barrier too.
/// Rewrites the program's code.
base::Result<void> carry_atomics() noexcept;

}  // namespace weft::omp::program
