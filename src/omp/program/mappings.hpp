// Anonymous memory that the program maps is the threads' of all processes, as what malloc gives it is. Its pages stay
// until the program has unmapped all that one mmap has given.
#pragma once

namespace weft::omp::program {

/// After the shared memory has begun; all processes call. Where there is none left, mappings are each process's own.
void begin_mappings() noexcept;

}  // namespace weft::omp::program
