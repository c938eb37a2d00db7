// libweft_omp.so of the build that this library is of, or none.
#pragma once

#include "base/result.hpp"

namespace weft::omp::program {

/// An OpenMP library of another build, which may be too old to find out itself, would see one process and not say so.
base::Result<void> compare_builds() noexcept;

}  // namespace weft::omp::program
