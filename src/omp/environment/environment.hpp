// The variables of the environment: OMP_* and GOMP_*, read when the library is loaded.
#pragma once

namespace weft::omp {

void read_environment() noexcept;
/// What is to be said of it: what was wrong, and what OMP_DISPLAY_ENV asks for. Nothing is where `say` is not true.
void tell_environment(bool say) noexcept;
/// What OMP_DISPLAY_ENV shows.
void display_environment(bool verbose) noexcept;

/// What LLVM's library has beside those, where no variable of OpenMP's own says otherwise.
void read_kmp(bool has_schedule) noexcept;
void tell_kmp() noexcept;

}  // namespace weft::omp
