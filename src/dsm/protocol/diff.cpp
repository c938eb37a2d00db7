#include "dsm/protocol/diff.hpp"

#include <bit>
#include <cstring>
#include <iterator>

#include "base/processor.hpp"
#include "dsm/protocol/ways.hpp"

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

// Unrolled, so that words are in registers.
struct LineOfWords {
  Word words[kLineBytes / sizeof(Word)];

  static LineOfWords load(const std::byte* from) noexcept {
    LineOfWords line;
#pragma GCC unroll 8
    for (std::size_t k = 0; k < std::size(line.words); ++k) {
      line.words[k] = protocol::load(from + k * sizeof(Word));
    }
    return line;
  }
  std::uint64_t differing(const LineOfWords& other) const noexcept {
    Word any = 0;
#pragma GCC unroll 8
    for (std::size_t k = 0; k < std::size(words); ++k) {
      any |= words[k] ^ other.words[k];
    }
    std::uint64_t bytes = 0;
    for (std::size_t k = 0; any != 0 && k < std::size(words); ++k) {
      bytes |= bytes_in(words[k] ^ other.words[k]) << k * 8;
    }
    return bytes;
  }
  void store(std::byte* to) const noexcept {
#pragma GCC unroll 8
    for (std::size_t k = 0; k < std::size(words); ++k) {
      protocol::store(to + k * sizeof(Word), words[k]);
    }
  }
  void store_some(std::byte* to, std::uint64_t bytes) const noexcept {
    store_some_words(to, reinterpret_cast<const std::byte*>(words), bytes);
  }
};

// The thread sanitizer knows no vectors of which some bytes only are stored, and would see races where words are looked
// at that the program may write.
#if defined(__SANITIZE_THREAD__)
constexpr bool kVectors = false;
#else
constexpr bool kVectors = true;
#endif

const Ways& best() noexcept {
#if defined(__x86_64__)
  if (kVectors && base::has_avx512()) {
    return kByAvx512;
  }
  if (kVectors && base::has_avx2()) {
    return kByAvx2;
  }
#endif
  return kByWords;
}

const Ways& ways() noexcept {
  static const Ways& used = best();
  return used;
}

}  // namespace

constinit const Ways kByWords = WaysBy<LineOfWords>::kWays;

void store_some_words(std::byte* to, const std::byte* from, std::uint64_t bytes) noexcept {
  for (std::size_t k = 0; k < kLineBytes; k += sizeof(Word)) {
    store_bytes(to + k, from + k, bytes >> k & 0xff);
  }
}

bool compare(const std::byte* page, std::byte* twin, Changes* changes) noexcept {
  return ways().compare(page, twin, changes);
}
void apply(std::byte* page, const std::byte* from, const Changes& changes) noexcept {
  ways().apply(page, from, changes);
}
void merge(std::byte* page, std::byte* twin, const std::byte* fresh) noexcept { ways().merge(page, twin, fresh); }
void copy_words(std::byte* to, const std::byte* from, std::size_t bytes) noexcept { ways().copy(to, from, bytes); }

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
    store_some_words(page + line * kLineBytes, bytes, bits);
  }
  return length;
}

}  // namespace weft::dsm::protocol
