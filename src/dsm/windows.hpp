// What a program has beside blocks of the range: memory at addresses of its own that is shared all the same, and memory
// of its own that others may look into.
#pragma once

#include <cstddef>

#include "base/result.hpp"

namespace weft::dsm {

/// Whole pages at `at`, whatever is there, become another view of a block of the range, and the one that the program
/// uses from now on. On all PEs, with the same block, while each has one thread, and followed by a barrier; what the
/// block holds stays.
base::Result<void> add_window(void* at, void* block, std::size_t bytes) noexcept;

/// A block for this PE that never misses a page here, so that what a fault needs may lie in it: stacks, and what the
/// kernel writes by itself. Others see what is in it as they see all else, at the price that each of its pages which
/// they look at comes anew whenever this PE has released. It stays so. Null: there is no memory.
void* allocate_pinned(std::size_t bytes) noexcept;

/// The front end's room (state.hpp) of a PE of this node, kRoomBytes; null: the PE is on another one, or PEs have one
/// memory.
std::byte* room_of_front_end(int pe) noexcept;

}  // namespace weft::dsm
