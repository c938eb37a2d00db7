// What has changed of something that both ends know as it was: the words that differ. Most of a PE's record is the same
// from one look to the next, and most of its card is that of its neighbour.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "boot/job.hpp"

namespace weft::boot {

inline constexpr std::size_t kChangedWord = 8;
/// Words of one object, at most.
inline constexpr std::size_t kMostChangedWords = 255;

/// Room for the changes of so many bytes: a count, and every second word with two bytes before it, or all with two.
constexpr std::size_t most_changes(std::size_t bytes) { return 1 + (bytes / kChangedWord + 1) / 2 * 2 + bytes; }

/// Writes the words of `now` that are not those of `before`, both of so many bytes, whole words. How many bytes that
/// are.
std::size_t put_changes(const void* before, const void* now, std::size_t bytes, std::byte* to) noexcept;

/// Makes `now` of `before`, which `into` is. What is behind the changes; null: they are damaged, and `into` may be part
/// of each.
[[nodiscard]] const std::byte* take_changes(const std::byte* from, const std::byte* end, void* into,
                                            std::size_t bytes) noexcept;

/// Cards of some PEs in a table of all, each beside that of the PE before it; without node and local, which tables have
/// from who made them. How many bytes, at most so many for each card.
inline constexpr std::size_t kMostPackedCard = most_changes(sizeof(PeerCard));
std::size_t pack_cards(const PeerCard* table, std::span<const std::int32_t> pes, std::byte* to) noexcept;
/// To their places. False: the bytes are damaged, and some cards may have been changed.
[[nodiscard]] bool unpack_cards(std::span<const std::byte> from, PeerCard* table,
                                std::span<const std::int32_t> pes) noexcept;

}  // namespace weft::boot
