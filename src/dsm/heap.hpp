// Giving and taking back shared memory, by the book (arena.hpp).
#pragma once

#include <cstddef>

namespace weft::dsm {

/// Null: there is no such block left. `alignment` is a power of two.
void* allocate(std::size_t bytes, std::size_t alignment) noexcept;
/// Of zeros.
void* allocate_zeros(std::size_t bytes) noexcept;
/// Ends the program with a line where `block` is no block.
void* reallocate(void* block, std::size_t bytes) noexcept;
void release_block(void* block) noexcept;
/// Bytes that a block has room for; 0 where none begins.
std::size_t room_of_block(const void* block) noexcept;

}  // namespace weft::dsm
