// What a fault means that is no page's.
#pragma once

#include <cstdint>

namespace weft::omp::program {

/// Shared memory that nobody may touch: below stacks.
bool is_closed(std::uintptr_t at) noexcept;
/// A sentence about it; null: nothing is known. In a handler of signals, of a process that is about to end.
const char* why_fault(std::uintptr_t at) noexcept;

}  // namespace weft::omp::program
