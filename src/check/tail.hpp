// The end of the heap that no block has reached yet: closed, so that a plain store or load beyond the last block is
// found, though safe mode's heap is longer than the program's.
#pragma once

#include <cstdint>

namespace weft::check {

/// After shmem_init, when only safe mode itself has taken a block.
void close_tail() noexcept;

/// Blocks reach up to there from now on. True where they did not before.
bool open_tail(std::uintptr_t up_to) noexcept;

/// Nothing has ever been there.
bool in_tail(std::uintptr_t address) noexcept;

}  // namespace weft::check
