#include "dsm/protocol/diff.hpp"

#include <bit>
#include <cstring>

namespace weft::dsm::protocol {
namespace {

using Word = std::uint64_t;

// Relaxed: order is made by those who release and acquire; but each word is read, or stored, at once and once.
Word load(const std::byte* at) noexcept { return __atomic_load_n(reinterpret_cast<const Word*>(at), __ATOMIC_RELAXED); }
void store(std::byte* at, Word value) noexcept {
  __atomic_store_n(reinterpret_cast<Word*>(at), value, __ATOMIC_RELAXED);
}
void store_byte(std::byte* at, std::byte value) noexcept {
  __atomic_store_n(reinterpret_cast<std::uint8_t*>(at), static_cast<std::uint8_t>(value), __ATOMIC_RELAXED);
}

// A bit for each byte that is not zero.
Word bytes_in(Word differing) noexcept {
  Word any = differing | differing >> 4;
  any |= any >> 2;
  any |= any >> 1;
  any &= 0x0101010101010101;
  return any * 0x0102040810204080 >> 56;
}

void store_bytes(std::byte* to, const std::byte* from, Word bits) noexcept {
  if (bits == 0xff) {
    Word value = 0;
    std::memcpy(&value, from, sizeof value);
    store(to, value);
    return;
  }
  for (; bits != 0; bits &= bits - 1) {
    const int byte = std::countr_zero(bits);
    store_byte(to + byte, from[byte]);
  }
}

}  // namespace

bool compare(const std::byte* page, std::byte* twin, Changes* changes) noexcept {
  changes->lines = 0;
  for (std::size_t line = 0; line < kLines; ++line) {
    const std::byte* const here = page + line * kLineBytes;
    std::byte* const before = twin + line * kLineBytes;
    Word words[8];
    Word any = 0;
    for (int k = 0; k < 8; ++k) {
      words[k] = load(here + k * 8);
      any |= words[k] ^ load(before + k * 8);
    }
    if (any == 0) [[likely]] {
      continue;
    }
    Word bits = 0;
    for (int k = 0; k < 8; ++k) {
      bits |= bytes_in(words[k] ^ load(before + k * 8)) << k * 8;
      store(before + k * 8, words[k]);
    }
    changes->lines |= Word{1} << line;
    changes->bytes[line] = bits;
  }
  return changes->lines != 0;
}

void apply(std::byte* page, const std::byte* from, const Changes& changes) noexcept {
  for (Word lines = changes.lines; lines != 0; lines &= lines - 1) {
    const auto line = static_cast<std::size_t>(std::countr_zero(lines));
    for (std::size_t k = 0; k < 8; ++k) {
      const std::size_t at = line * kLineBytes + k * 8;
      store_bytes(page + at, from + at, changes.bytes[line] >> k * 8 & 0xff);
    }
  }
}

void copy_words(std::byte* to, const std::byte* from, std::size_t bytes) noexcept {
  for (std::size_t at = 0; at < bytes; at += sizeof(Word)) {
    const Word value = load(from + at);
    std::memcpy(to + at, &value, sizeof value);
  }
}

void merge(std::byte* page, std::byte* twin, const std::byte* fresh) noexcept {
  for (std::size_t at = 0; at < kPageBytes; at += 8) {
    const Word value = load(fresh + at);
    const Word differing = value ^ load(twin + at);
    if (differing != 0) {
      std::byte bytes[8];
      std::memcpy(bytes, &value, sizeof bytes);
      store_bytes(page + at, bytes, bytes_in(differing));
      store(twin + at, value);
    }
  }
}

std::size_t encode(const std::byte* from, const Changes& changes, std::byte* into) noexcept {
  std::byte* end = into;
  std::memcpy(end, &changes.lines, sizeof changes.lines);
  end += sizeof changes.lines;
  for (Word lines = changes.lines; lines != 0; lines &= lines - 1) {
    const auto line = static_cast<std::size_t>(std::countr_zero(lines));
    std::memcpy(end, &changes.bytes[line], sizeof(Word));
    end += sizeof(Word);
    for (Word bits = changes.bytes[line]; bits != 0; bits &= bits - 1) {
      *end++ = from[line * kLineBytes + static_cast<std::size_t>(std::countr_zero(bits))];
    }
  }
  return static_cast<std::size_t>(end - into);
}

std::size_t length_of_coded(std::span<const std::byte> coded) noexcept {
  Word lines = 0;
  if (coded.size() < sizeof lines) {
    return 0;
  }
  std::memcpy(&lines, coded.data(), sizeof lines);
  std::size_t at = sizeof lines;
  for (int left = std::popcount(lines); left > 0; --left) {
    Word bits = 0;
    if (coded.size() - at < sizeof bits) {
      return 0;
    }
    std::memcpy(&bits, coded.data() + at, sizeof bits);
    at += sizeof bits;
    const auto bytes = static_cast<std::size_t>(std::popcount(bits));
    if (coded.size() - at < bytes) {
      return 0;
    }
    at += bytes;
  }
  return at;
}

std::size_t apply_coded(std::byte* page, std::span<const std::byte> coded) noexcept {
  const std::size_t length = length_of_coded(coded);
  if (length == 0) {
    return 0;
  }
  Word lines = 0;
  std::memcpy(&lines, coded.data(), sizeof lines);
  const std::byte* at = coded.data() + sizeof lines;
  for (; lines != 0; lines &= lines - 1) {
    const auto line = static_cast<std::size_t>(std::countr_zero(lines));
    Word bits = 0;
    std::memcpy(&bits, at, sizeof bits);
    at += sizeof bits;
    std::byte bytes[kLineBytes];
    for (Word left = bits; left != 0; left &= left - 1) {
      bytes[std::countr_zero(left)] = *at++;
    }
    for (std::size_t k = 0; k < 8; ++k) {
      store_bytes(page + line * kLineBytes + k * 8, bytes + k * 8, bits >> k * 8 & 0xff);
    }
  }
  return length;
}

}  // namespace weft::dsm::protocol
