// Whose Fortran's units are: each process has its own of libgfortran, in which a number that another process has opened
// would be another file. What reads or writes such a one ends with a line that names both places.
#pragma once

namespace weft::omp::program {

/// After the shared memory has begun; all processes call. Where there is none left, nothing is told.
void begin_units() noexcept;

}  // namespace weft::omp::program
