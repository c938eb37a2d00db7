// What a thread has of the one that started it, and a process of another one must be given: rounding and the other
// modes of arithmetic, the working directory, the mask of new files, the environment, the locale.
#pragma once

#include <cstddef>
#include <cstdint>

namespace weft::omp::program {

/// Of arithmetic. All that each region has to look at: it is in a register, and no call says that it changes.
struct Modes {
  std::uint32_t vector = 0;  // MXCSR
  std::uint16_t x87 = 0;
  std::uint16_t unused = 0;
};
static_assert(sizeof(Modes) == sizeof(std::uint64_t));
Modes modes_here() noexcept;
void take_modes(const Modes& modes) noexcept;

/// In shared memory.
struct Carried {
  static constexpr std::size_t kLongestPath = 4096;
  Modes modes;            // where it is one memory; by pages they come with the message
  std::uint32_t version;  // of what follows
  std::uint32_t mask;
  char folder[kLongestPath];
  char locale[1024];
  char* environment;  // "A=B", one after another, each with its end; shared memory
  std::size_t environment_bytes;
};

/// In process 0, of its process: what else there is, and which version of it that is.
std::uint32_t carry_from_here(Carried& carried) noexcept;
/// Nothing of `carried` is looked at where this process has that version.
void carry_to_here(const Carried& carried, std::uint32_t version) noexcept;

}  // namespace weft::omp::program
