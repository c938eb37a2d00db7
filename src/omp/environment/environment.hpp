// The variables of the environment: OMP_* and GOMP_*, read when the library is loaded.
#pragma once

namespace weft::omp {

void read_environment() noexcept;
/// What OMP_DISPLAY_ENV shows.
void display_environment(bool verbose) noexcept;

}  // namespace weft::omp
