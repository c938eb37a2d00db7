// The collectives where the members are in several domains (group/domains.hpp): what collectives.hpp says of each.
#pragma once

#include "coll/collectives.hpp"

namespace weft::coll::across {

void broadcast(Party& party, const Broadcast& call) noexcept;
[[nodiscard]] bool collect(Party& party, void* dest, const void* source, std::size_t bytes, Fits fits) noexcept;
void fcollect(Party& party, void* dest, const void* source, std::size_t bytes) noexcept;
[[nodiscard]] bool alltoall(Party& party, const Alltoall& call) noexcept;
[[nodiscard]] bool reduce(Party& party, const Reduce& call) noexcept;
[[nodiscard]] bool scan(Party& party, const Scan& call) noexcept;

// As parts of a call, for which it has asked for memory: so much.

/// By messages alone, between all members: in their order, wherever their domains lie, and buffers may lie anywhere.
void scan_by_members(Party& party, const Scan& call) noexcept;
std::size_t need_of_scan(const Reduce& call) noexcept;

/// `count` words, at most group::kWords, of all members are combined, and all have the result in `words`.
void larger_words(void* into, const void* with, const void* and_with, std::size_t count, void* state) noexcept;
void united_words(void* into, const void* with, const void* and_with, std::size_t count,
                  void* state) noexcept;  // bit by bit
void combine_words(Party& party, std::uint64_t* words, std::size_t count, Combine combine) noexcept;

}  // namespace weft::coll::across
