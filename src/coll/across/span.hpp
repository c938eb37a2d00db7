// The collectives where the members are in several domains (group/domains.hpp): what collectives.hpp says of each.
#pragma once

#include "coll/collectives.hpp"

namespace weft::coll::across {

void broadcast(Party& party, const Broadcast& call) noexcept;
void collect(Party& party, void* dest, const void* source, std::size_t bytes, Fits fits) noexcept;
void fcollect(Party& party, void* dest, const void* source, std::size_t bytes) noexcept;
void alltoall(Party& party, const Alltoall& call) noexcept;
void reduce(Party& party, const Reduce& call) noexcept;
void scan(Party& party, const Scan& call) noexcept;
/// By messages alone, between all members: in their order, wherever their domains lie, and buffers may lie anywhere.
void scan_by_members(Party& party, const Scan& call) noexcept;
/// In the order of the members.
void reduce_in_order(Party& party, const Reduce& call) noexcept;

/// `count` words, at most group::kWords, of all members are combined, and all have the result in `words`.
void larger_words(void* into, const void* with, const void* and_with, std::size_t count, void* state) noexcept;
void united_words(void* into, const void* with, const void* and_with, std::size_t count,
                  void* state) noexcept;  // bit by bit
void combine_words(Party& party, std::uint64_t* words, std::size_t count, Combine combine) noexcept;

}  // namespace weft::coll::across
