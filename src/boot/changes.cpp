#include "boot/changes.hpp"

#include <cstdint>
#include <cstring>

namespace weft::boot {
namespace {

constexpr std::size_t kPlace = offsetof(PeerCard, program);
static_assert(kPlace == kChangedWord && sizeof(PeerCard) % kChangedWord == 0 &&
              sizeof(PeerCard) / kChangedWord <= kMostChangedWords);

}  // namespace

// A number of runs; of each its first word, how many there are, and these.
std::size_t put_changes(const void* before, const void* now, std::size_t bytes, std::byte* to) noexcept {
  const auto* const old_words = static_cast<const std::byte*>(before);
  const auto* const new_words = static_cast<const std::byte*>(now);
  const std::size_t words = bytes / kChangedWord;
  const auto differs = [&](std::size_t word) noexcept {
    return std::memcmp(old_words + word * kChangedWord, new_words + word * kChangedWord, kChangedWord) != 0;
  };
  std::byte* next = to + 1;
  std::uint8_t runs = 0;
  for (std::size_t word = 0; word < words; ++word) {
    if (!differs(word)) {
      continue;
    }
    const std::size_t first = word;
    while (word + 1 < words && differs(word + 1)) {
      ++word;
    }
    const std::size_t count = word + 1 - first;
    *next++ = static_cast<std::byte>(first);
    *next++ = static_cast<std::byte>(count);
    std::memcpy(next, new_words + first * kChangedWord, count * kChangedWord);
    next += count * kChangedWord;
    ++runs;
  }
  *to = static_cast<std::byte>(runs);
  return static_cast<std::size_t>(next - to);
}

const std::byte* take_changes(const std::byte* from, const std::byte* end, void* into, std::size_t bytes) noexcept {
  if (from == end) {
    return nullptr;
  }
  auto* const words = static_cast<std::byte*>(into);
  for (auto runs = static_cast<std::uint8_t>(*from++); runs > 0; --runs) {
    if (end - from < 2) {
      return nullptr;
    }
    const std::size_t first = static_cast<std::uint8_t>(*from++) * kChangedWord;
    const std::size_t count = static_cast<std::uint8_t>(*from++) * kChangedWord;
    if (count > static_cast<std::size_t>(end - from) || first + count > bytes) {
      return nullptr;
    }
    std::memcpy(words + first, from, count);
    from += count;
  }
  return from;
}

std::size_t pack_cards(const PeerCard* table, std::span<const std::int32_t> pes, std::byte* to) noexcept {
  PeerCard before{};
  std::size_t bytes = 0;
  for (const std::int32_t pe : pes) {
    PeerCard card = table[pe];
    card.node = before.node;
    card.local = before.local;
    bytes += put_changes(&before, &card, sizeof card, to + bytes);
    before = card;
  }
  return bytes;
}

bool unpack_cards(std::span<const std::byte> from, PeerCard* table, std::span<const std::int32_t> pes) noexcept {
  const std::byte* at = from.data();
  const std::byte* const end = at + from.size();
  PeerCard card{};
  for (const std::int32_t pe : pes) {
    at = take_changes(at, end, &card, sizeof card);
    if (at == nullptr) {
      return false;
    }
    std::memcpy(reinterpret_cast<std::byte*>(&table[pe]) + kPlace, reinterpret_cast<const std::byte*>(&card) + kPlace,
                sizeof card - kPlace);
  }
  return at == end;
}

}  // namespace weft::boot
