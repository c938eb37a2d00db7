// Stacks in shared memory, which main and OpenMP's threads run on.
#pragma once

#include <cstddef>
#include <cstdint>

namespace weft::omp::program {

/// Whether functions in functions (GNU C, Fortran) have code there, as the program or a library says.
bool has_code_on_stacks() noexcept;
/// Memory for the stack of a thread, with a page below it that nobody may touch. Null: none is left.
void* make_stack(std::size_t bytes) noexcept;
/// Of the stack that has such a page there, how large it is; 0: none has. In signal handlers too.
std::size_t stack_above(std::uintptr_t at) noexcept;

/// For the calling thread, whose stack may end: what explains that runs elsewhere. It is kept for another thread
/// behind. Null: no memory, and such a thread dies without a line.
void* handle_signals_elsewhere(void* kept) noexcept;

}  // namespace weft::omp::program
