// Threads of this process that OpenMP's library or main runs on, whose stacks are shared memory.
#pragma once

#include <cstddef>

namespace weft::omp::program {

/// A thread that is to begin, perhaps in another process.
struct Birth {
  void* (*body)(void*);
  void* argument;
  std::size_t stack_bytes;
};

/// The stack is that of one that has ended, if there is one as large. False: no memory is left.
bool start_here(const Birth& birth) noexcept;

}  // namespace weft::omp::program
