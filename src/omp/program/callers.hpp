// Whose code calls for memory: the program's, and what works for it, gets shared memory. The C library, the dynamic
// linker and Weft keep what they know to their process.
#pragma once

namespace weft::omp::program {

/// Before the program's first thread.
/// With the OpenMP library's, where each process has its own state of it.
void find_private_code(bool with_openmp) noexcept;
bool is_private_code(const void* address) noexcept;

}  // namespace weft::omp::program
