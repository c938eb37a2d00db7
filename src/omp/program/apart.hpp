// Where a process's private memory lies.
#pragma once

namespace weft::omp::program {

/// Without random addresses all processes would have theirs at the same ones, and a pointer to it that a thread of
/// another process follows would find what is there. From here on it finds nothing, and the fault is told
/// (faults.hpp). Behind all that is to lie at one address in all of them.
void keep_private_memory_apart(int process, int processes) noexcept;

}  // namespace weft::omp::program
