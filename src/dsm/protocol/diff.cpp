#include "dsm/protocol/diff.hpp"

#include <array>
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

// How many bits are set: processors have an instruction, which not all of those that this is compiled for have.
constexpr std::size_t ones(Word bits) noexcept {
  bits -= bits >> 1 & 0x5555555555555555;
  bits = (bits & 0x3333333333333333) + (bits >> 2 & 0x3333333333333333);
  return ((bits + (bits >> 4)) & 0x0f0f0f0f0f0f0f0f) * 0x0101010101010101 >> 56;
}
constexpr std::array<std::uint8_t, 256> kOnes = [] {
  std::array<std::uint8_t, 256> all{};
  for (std::size_t k = 0; k < all.size(); ++k) {
    all[k] = static_cast<std::uint8_t>(ones(k));
  }
  return all;
}();

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

// What this processor does best.
struct Best {
  const Ways* ways = &kByWords;
  const Coding* coding = &kCodingByWords;
};
Best find_best() noexcept {
  Best found;
#if defined(__x86_64__)
  if (kVectors) {
    if (base::has_avx512()) {
      found.ways = &kByAvx512;
    } else if (base::has_avx2()) {
      found.ways = &kByAvx2;
    }
    if (base::has_avx512_vbmi2()) {
      found.coding = &kCodingByVbmi2;
    }
  }
#endif
  return found;
}
const Best& best() noexcept {
  static const Best found = find_best();
  return found;
}

}  // namespace

constinit const Ways kByWords = WaysBy<LineOfWords>::kWays;

void store_some_words(std::byte* to, const std::byte* from, std::uint64_t bytes) noexcept {
  for (std::size_t k = 0; k < kLineBytes; k += sizeof(Word)) {
    store_bytes(to + k, from + k, bytes >> k & 0xff);
  }
}

bool compare(const std::byte* page, std::byte* twin, Changes* changes) noexcept {
  return best().ways->compare(page, twin, changes);
}
void apply(std::byte* page, const std::byte* from, const Changes& changes) noexcept {
  best().ways->apply(page, from, changes);
}
void merge(std::byte* page, std::byte* twin, const std::byte* fresh) noexcept { best().ways->merge(page, twin, fresh); }
void copy_words(std::byte* to, const std::byte* from, std::size_t bytes) noexcept {
  best().ways->copy(to, from, bytes);
}

namespace {

// Of words that a program changes mostly some bytes in a row have changed, so all of these go, or come, at once.
struct InARow {
  explicit InARow(unsigned bits) noexcept : first(std::countr_zero(bits) * 8) {
    const unsigned run = bits >> std::countr_zero(bits);
    are = (run & (run + 1)) == 0;
  }
  int first;  // in bits
  bool are;
};

// What is stored behind the bytes that were asked for has room: no word takes more than there is for it.
std::byte* encode_word(const std::byte* from, unsigned bits, std::byte* into) noexcept {
  if (const InARow row(bits); row.are) {
    Word value = 0;
    std::memcpy(&value, from, sizeof value);
    value >>= row.first;
    std::memcpy(into, &value, sizeof value);
    return into + kOnes[bits];
  }
  for (; bits != 0; bits &= bits - 1) {
    *into++ = from[std::countr_zero(bits)];
  }
  return into;
}

const std::byte* decode_word(const std::byte* coded, const std::byte* end, unsigned bits, std::byte* to) noexcept {
  if (const InARow row(bits); row.are && end - coded >= static_cast<std::ptrdiff_t>(sizeof(Word))) {
    Word value = 0;
    std::memcpy(&value, coded, sizeof value);
    value <<= row.first;
    std::memcpy(to, &value, sizeof value);
    return coded + kOnes[bits];
  }
  for (; bits != 0; bits &= bits - 1) {
    to[std::countr_zero(bits)] = *coded++;
  }
  return coded;
}

std::size_t encode_by_words(const std::byte* from, const Changes& changes, std::byte* into) noexcept {
  std::byte* end = into;
  std::memcpy(end, &changes.lines, sizeof changes.lines);
  end += sizeof changes.lines;
  for (Word lines = changes.lines; lines != 0; lines &= lines - 1) {
    const auto line = static_cast<std::size_t>(std::countr_zero(lines));
    std::memcpy(end, &changes.bytes[line], sizeof(Word));
    end += sizeof(Word);
    const std::byte* word = from + line * kLineBytes;
    for (Word bits = changes.bytes[line]; bits != 0; bits >>= sizeof(Word), word += sizeof(Word)) {
      if (const auto here = static_cast<unsigned>(bits & 0xff); here != 0) {
        end = encode_word(word, here, end);
      }
    }
  }
  return static_cast<std::size_t>(end - into);
}

void apply_by_words(std::byte* page, const std::byte* coded, const std::byte* end) noexcept {
  Changes changes;
  alignas(kLineBytes) std::byte values[kPageBytes];
  std::memcpy(&changes.lines, coded, sizeof changes.lines);
  const std::byte* at = coded + sizeof changes.lines;
  for (Word lines = changes.lines; lines != 0; lines &= lines - 1) {
    const auto line = static_cast<std::size_t>(std::countr_zero(lines));
    std::memcpy(&changes.bytes[line], at, sizeof(Word));
    at += sizeof(Word);
    std::byte* word = values + line * kLineBytes;
    std::memset(word, 0, kLineBytes);
    for (Word bits = changes.bytes[line]; bits != 0; bits >>= sizeof(Word), word += sizeof(Word)) {
      if (const auto here = static_cast<unsigned>(bits & 0xff); here != 0) {
        at = decode_word(at, end, here, word);
      }
    }
  }
  apply(page, values, changes);
}

}  // namespace

constinit const Coding kCodingByWords = {encode_by_words, apply_by_words};

std::size_t encode(const std::byte* from, const Changes& changes, std::byte* into) noexcept {
  return best().coding->encode(from, changes, into);
}

std::size_t length_of_coded(std::span<const std::byte> coded) noexcept {
  Word lines = 0;
  if (coded.size() < sizeof lines) {
    return 0;
  }
  std::memcpy(&lines, coded.data(), sizeof lines);
  std::size_t at = sizeof lines;
  for (std::size_t left = ones(lines); left > 0; --left) {
    Word bits = 0;
    if (coded.size() - at < sizeof bits) {
      return 0;
    }
    std::memcpy(&bits, coded.data() + at, sizeof bits);
    at += sizeof bits;
    const std::size_t bytes = ones(bits);
    if (coded.size() - at < bytes) {
      return 0;
    }
    at += bytes;
  }
  return at;
}

std::size_t apply_coded(std::byte* page, std::span<const std::byte> coded) noexcept {
  const std::size_t length = length_of_coded(coded);
  if (length != 0) {
    apply_whole(page, coded.first(length));
  }
  return length;
}

void apply_whole(std::byte* page, std::span<const std::byte> coded) noexcept {
  best().coding->apply(page, coded.data(), coded.data() + coded.size());
}

}  // namespace weft::dsm::protocol
