// What a thread has of the one that started it, and a process of another one must be given: rounding and the other
// modes of arithmetic, the working directory, the mask of new files, the environment, the locale.
#pragma once

#include <cstddef>
#include <cstdint>

namespace weft::omp::program {

/// In shared memory.
struct Carried {
  static constexpr std::size_t kLongestPath = 4096;
  std::uint32_t vector_modes;  // MXCSR
  std::uint16_t x87_modes;
  std::uint32_t version;  // of what follows
  std::uint32_t mask;
  char folder[kLongestPath];
  char locale[1024];
  char* environment;  // "A=B", one after another, each with its end; shared memory
  std::size_t environment_bytes;
};

/// In process 0, of the calling thread and its process.
void carry_from_here(Carried& carried) noexcept;
void carry_to_here(const Carried& carried) noexcept;

}  // namespace weft::omp::program
