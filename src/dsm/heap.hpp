// Giving and taking back shared memory, by the book (arena.hpp).
#pragma once

#include <cstddef>

#include "dsm/arena.hpp"

namespace weft::dsm {

/// Null: there is no such block left. `alignment` is a power of two.
void* allocate(std::size_t bytes, std::size_t alignment) noexcept;
/// Of zeros.
void* allocate_zeros(std::size_t bytes, std::size_t alignment = Arena::kUnit) noexcept;
/// `*moved` is as allocate() gives it, and `block`, unless that is null, still there. Other than kDone: it is no block,
/// and nothing is done.
[[nodiscard]] Arena::Freed reallocate(void* block, std::size_t bytes, void** moved) noexcept;
/// Null is well, too.
[[nodiscard]] Arena::Freed release_block(void* block) noexcept;
/// For the profile, where one is made: the program got a block, or null, for a call that returns to `site`.
void note_block(const void* block, std::size_t bytes, const void* site) noexcept;
/// Bytes that a block has room for; 0 where none begins.
std::size_t room_of_block(const void* block) noexcept;

}  // namespace weft::dsm
