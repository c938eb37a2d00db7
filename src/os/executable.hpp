// Where the running executable's data lies.
#pragma once

#include <cstddef>
#include <cstdint>

namespace weft::os {

/// Page aligned. `lowest` is the executable's first mapped byte (text included). data is .data and .bss: its
/// writable segments less what the dynamic linker has made read-only again (RELRO).
struct Executable {
  static constexpr int kMaxWritable = 8;
  struct Range {
    std::uintptr_t lo = 0;
    std::uintptr_t hi = 0;
  };

  std::uintptr_t bias = 0;  // what is added to the addresses it was linked for
  std::uintptr_t lowest = 0;
  std::uintptr_t highest = 0;
  std::uintptr_t data_lo = 0;
  std::uintptr_t data_hi = 0;
  // The writable segments within [data_lo, data_hi): some linkers leave unmapped pages between them.
  Range writable[kMaxWritable];
  int n_writable = 0;
};

/// Of the main program, never of a library: data of shared objects is not symmetric (OpenSHMEM 1.6, section 3.1).
Executable find_executable() noexcept;

/// A number for the executable file of this process: two processes that run the same file have the same one.
std::uint64_t program_identity() noexcept;

}  // namespace weft::os
