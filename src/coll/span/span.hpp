// The collectives where the members are in several domains (group/domains.hpp): what collectives.hpp says of each.
#pragma once

#include "coll/collectives.hpp"

namespace weft::coll::span {

void broadcast(Group& group, const Broadcast& call) noexcept;
void collect(Group& group, void* dest, const void* source, std::size_t bytes, Fits fits) noexcept;
void fcollect(Group& group, void* dest, const void* source, std::size_t bytes) noexcept;
void alltoall(Group& group, const Alltoall& call) noexcept;
void reduce(Group& group, const Reduce& call) noexcept;
void scan(Group& group, const Scan& call) noexcept;
/// By messages alone, between all members: in their order, wherever their domains lie, and buffers may lie anywhere.
void scan_by_members(Group& group, const Scan& call) noexcept;
/// In the order of the members.
void reduce_in_order(Group& group, const Reduce& call) noexcept;

/// `count` words, at most group::kWords, of all members are combined, and all have the result in `words`.
void larger_words(void* into, const void* with, const void* and_with, std::size_t count, void* state) noexcept;
void united_words(void* into, const void* with, const void* and_with, std::size_t count,
                  void* state) noexcept;  // bit by bit
void combine_words(Group& group, std::uint64_t* words, std::size_t count, Combine combine) noexcept;

}  // namespace weft::coll::span
