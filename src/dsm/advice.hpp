// What programs tell of their pages, and what they are told.
#pragma once

#include <cstddef>
#include <cstdint>

#include "dsm/pieces.hpp"
#include "dsm/protocol/page.hpp"

namespace weft::dsm {

/// What has been done in this PE so far; all 0 in the way kMemory.
struct Told {
  std::uint64_t faults, fetched, prefetched, refreshed, twins, sent, announced, dropped, evicted, copies, migrations;
};
Told told() noexcept;

/// Then there is nothing to be told.
bool has_one_memory() noexcept;
/// A line for people; `members`: what PEs are called.
void tell_counts(const char* members) noexcept;

/// Below: `bytes` are some, and all of them lie in shared memory, which is the caller's to look at (lies_in_range()).
bool lies_in_range(const void* at, std::size_t bytes) noexcept;

/// Pages of others come here, if that is of use.
void prefetch(const void* at, std::size_t bytes) noexcept;

/// All PEs call, and say the same; a barrier. Behind it all have the pages.
void broadcast(const void* at, std::size_t bytes) noexcept;

/// How copies of this PE are renewed.
void renew_by(const void* at, std::size_t bytes, protocol::Renewal renewal) noexcept;

/// Homes: `pes` PEs from `from` on by turns, a piece of so many bytes at a time. All PEs call, and say the same; a
/// barrier. Within room_of_rest().
void map_homes(const void* block, std::size_t bytes, std::size_t piece, int from, int pes) noexcept;
/// The same for an array whose pages go where its parts are to be (pieces.hpp).
void map_pieces(const void* array, std::size_t bytes, const Pieces& pieces) noexcept;
/// Some of them never leave this PE (windows.hpp), so they are not to be mapped.
bool is_pinned(const void* at, std::size_t bytes) noexcept;
/// From an address on to the end of its block; 0: there nothing is in use.
std::uint64_t room_of_rest(const void* at) noexcept;

}  // namespace weft::dsm
