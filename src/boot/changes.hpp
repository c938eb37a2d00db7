// What has changed of something that both ends know as it was: the words that differ. Most of a PE's record is the same
// from one look to the next, and most of its card is that of its neighbour.
#pragma once

#include <cstddef>

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

/// The same of a card beside that of another PE, without node and local, which tables have from who made them.
inline constexpr std::size_t kMostPackedCard = most_changes(sizeof(PeerCard));
std::size_t pack_card(const PeerCard& before, const PeerCard& card, std::byte* to) noexcept;
/// `before` becomes that of the next PE, and goes to its place in a table.
[[nodiscard]] const std::byte* unpack_card(const std::byte* from, const std::byte* end, PeerCard* before,
                                           PeerCard* place) noexcept;

}  // namespace weft::boot
