// The first request for symmetric memory that found no room. Programs that do not look at the result fail of it later,
// somewhere else: then they are told.
#pragma once

#include <cstddef>
#include <cstdint>

namespace weft::shmem {

/// Only the first one counts.
void note_shortage(const char* call, std::size_t bytes, std::size_t heap_bytes, std::size_t would_do) noexcept;

/// What was asked for, and which size of the heap would have done; nullptr: nothing was refused.
const char* shortage() noexcept;

/// An access there may have begun at the null that was returned: at one of the bytes asked for.
bool follows_from_shortage(std::uintptr_t at) noexcept;

}  // namespace weft::shmem
