// The executable's .data, .bss and COMMON become memory that all processes share, at the addresses they have.
#pragma once

#include <cstdint>

#include "base/result.hpp"

namespace weft::omp::program {

/// Where `one_memory`, with the OpenMP library's. In all processes, when there is shared memory, and before the
/// executable's constructors. An error is the same in all that have it.
base::Result<void> share_statics(int process, bool one_memory) noexcept;
bool is_shared_static(const void* address) noexcept;
/// False: one of the calls has said so, and no more are made.
bool each_shared_static(bool (*call)(std::uintptr_t from, std::uintptr_t to) noexcept) noexcept;

}  // namespace weft::omp::program
