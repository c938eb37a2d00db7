// Says what a memory fault means when it lies in the symmetric memory's own address ranges.
#pragma once

#include "heap/window.hpp"

namespace weft::heap {

/// From shmem_init on. A fault elsewhere goes to whoever handled the signal before, or kills as ever.
void explain_faults(const Window& window) noexcept;

/// "the stack", "allocated with malloc", "memory of PE 3 as shmem_ptr gives it", the file mapped there, ...: for
/// messages about addresses that are not symmetric. The text is valid until the next call.
const char* describe_address(const Window& window, std::uintptr_t address) noexcept;

}  // namespace weft::heap
