// Ways to go through pages line by line, each the best on some processor. All of them do the same (diff.hpp).
//
// Threads of the program may store to a page meanwhile, and others carry out atomic operations on words of it: so each
// word is read once, and words are not torn.
#pragma once

#include <cstddef>
#include <cstdint>

#include "dsm/protocol/diff.hpp"

namespace weft::dsm::protocol {

struct Ways {
  bool (*compare)(const std::byte* page, std::byte* twin, Changes* changes) noexcept;
  void (*apply)(std::byte* page, const std::byte* from, const Changes& changes) noexcept;
  void (*merge)(std::byte* page, std::byte* twin, const std::byte* fresh) noexcept;
  void (*copy)(std::byte* to, const std::byte* from, std::size_t bytes) noexcept;
};

/// Ways to make of changes what goes to other nodes, and back (diff.hpp).
struct Coding {
  std::size_t (*encode)(const std::byte* from, const Changes& changes, std::byte* into) noexcept;
  /// Of what is whole (length_of_coded()) and `end` ends.
  void (*apply)(std::byte* page, const std::byte* coded, const std::byte* end) noexcept;
};

/// Line: load(from), and of what was loaded: differing(another line), a bit for each byte; store(to);
/// store_some(to, which bytes).
template <class Line>
struct WaysBy {
  static bool compare(const std::byte* page, std::byte* twin, Changes* changes) noexcept {
    std::uint64_t lines = 0;
    for (std::size_t line = 0; line < kLines; ++line) {
      const Line here = Line::load(page + line * kLineBytes);
      const std::uint64_t bytes = here.differing(Line::load(twin + line * kLineBytes));
      if (bytes != 0) {
        here.store(twin + line * kLineBytes);
        lines |= std::uint64_t{1} << line;
        changes->bytes[line] = bytes;
      }
    }
    changes->lines = lines;
    return lines != 0;
  }
  static void apply(std::byte* page, const std::byte* from, const Changes& changes) noexcept {
    for (std::uint64_t lines = changes.lines; lines != 0; lines &= lines - 1) {
      const int line = __builtin_ctzll(lines);
      const std::size_t at = static_cast<std::size_t>(line) * kLineBytes;
      Line::load(from + at).store_some(page + at, changes.bytes[line]);
    }
  }
  static void merge(std::byte* page, std::byte* twin, const std::byte* fresh) noexcept {
    for (std::size_t at = 0; at < kPageBytes; at += kLineBytes) {
      const Line there = Line::load(fresh + at);
      const std::uint64_t bytes = there.differing(Line::load(twin + at));
      if (bytes != 0) {
        there.store_some(page + at, bytes);
        there.store(twin + at);
      }
    }
  }
  static void copy(std::byte* to, const std::byte* from, std::size_t bytes) noexcept {
    for (std::size_t at = 0; at < bytes; at += kLineBytes) {
      Line::load(from + at).store(to + at);
    }
  }
  static constexpr Ways kWays{compare, apply, merge, copy};
};

/// By words; any processor does.
void store_some_words(std::byte* to, const std::byte* from, std::uint64_t bytes) noexcept;
extern const Ways kByWords;
extern const Coding kCodingByWords;
#if defined(__x86_64__)
extern const Ways kByAvx2;
extern const Ways kByAvx512;
extern const Coding kCodingByVbmi2;
#endif

}  // namespace weft::dsm::protocol
