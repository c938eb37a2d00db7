// Which way large messages go, found out by the first ones of each size. Pure.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>

namespace weft::msg {

/// Data up to this size may be brought to a stage unasked.
inline constexpr std::uint64_t kMostUnasked = 32768;

/// One copy by reading the other's memory, or two through shared memory.
enum class Path : std::uint8_t { kOneCopy, kTwoCopies };

/// What a PE has found of a size: by a KiB, of one copy and of two. PEs tell each other as one word, which says what it
/// likes: a wrong one makes messages slower.
struct Found {
  std::uint32_t one = 0;  // nothing yet, as the next
  std::uint32_t two = 0;

  static Found of(std::uint64_t word) noexcept {
    return {static_cast<std::uint32_t>(word >> 32), static_cast<std::uint32_t>(word)};
  }
  std::uint64_t word() const noexcept { return std::uint64_t{one} << 32 | two; }
  bool is_known() const noexcept { return one != 0 && two != 0; }
};

/// To the power of two, and apart for a PE that sends and receives at a time: two copies then share a processor with
/// two others.
class Costs {
 public:
  static constexpr int kTries = 10;  // of each way; the first ones meet memory and calls that are in no cache yet
  static constexpr int kClasses = 48;

  static int class_of(std::uint64_t bytes) noexcept {
    return std::min(static_cast<int>(std::bit_width(bytes)), kClasses - 1);
  }

  /// `theirs`: what the other one has found, of both directions. Where the two go different ways at a time, each waits
  /// for the slower one, and they are slower than either way: so each decides by what both have found together.
  Path path_of(std::uint64_t bytes, bool both_directions, Found theirs = {}) const noexcept {
    const Entry& entry = entries_[both_directions ? 1 : 0][static_cast<std::size_t>(class_of(bytes))];
    if (entry.is_open()) {
      // One way after the other: from the second message on a sender knows what its receiver wants.
      return entry.tries[0] < kTries ? Path::kOneCopy : Path::kTwoCopies;
    }
    // Where they are near each other two PEs might choose differently, and messages of one size go now so, now so: one
    // copy, unless two save an eighth. Short ones of both directions save about that.
    const bool pair = both_directions && theirs.is_known();
    const Found own = entry.found();
    const std::uint64_t one = own.one + std::uint64_t{pair ? theirs.one : 0};
    const std::uint64_t two = own.two + std::uint64_t{pair ? theirs.two : 0};
    const std::uint64_t least = both_directions && bytes <= kMostUnasked ? 0 : one / 8;
    return two < one && one - two >= least ? Path::kTwoCopies : Path::kOneCopy;
  }
  /// For the other one. Nothing while it is open.
  Found found(std::uint64_t bytes, bool both_directions) const noexcept {
    const Entry& entry = entries_[both_directions ? 1 : 0][static_cast<std::size_t>(class_of(bytes))];
    return entry.is_open() ? Found{} : entry.found();
  }
  /// Its times are still of use.
  bool is_open(std::uint64_t bytes, bool both_directions) const noexcept {
    return entries_[both_directions ? 1 : 0][static_cast<std::size_t>(class_of(bytes))].is_open();
  }
  /// Returns true when that has settled it.
  bool took(std::uint64_t bytes, bool both_directions, Path path, std::uint64_t ns) noexcept {
    Entry& entry = entries_[both_directions ? 1 : 0][static_cast<std::size_t>(class_of(bytes))];
    const auto way = static_cast<std::size_t>(path);
    if (entry.tries[way] >= kTries || bytes == 0) {
      return false;
    }
    // By a KiB, as sizes of a class differ by two; the best, as what disturbs only adds.
    entry.best[way] = std::min(entry.best[way], ns * 1024 / bytes);
    ++entry.tries[way];
    return entry.tries[0] == kTries && entry.tries[1] == kTries;
  }

 private:
  struct Entry {
    std::array<std::uint64_t, 2> best{UINT64_MAX, UINT64_MAX};
    std::array<std::uint8_t, 2> tries{};
    bool is_open() const noexcept { return tries[0] + tries[1] < 2 * kTries; }
    Found found() const noexcept { return {told(best[0]), told(best[1])}; }
    static std::uint32_t told(std::uint64_t ns) noexcept {
      return static_cast<std::uint32_t>(std::clamp<std::uint64_t>(ns, 1, UINT32_MAX));
    }
  };
  std::array<std::array<Entry, kClasses>, 2> entries_{};
};

}  // namespace weft::msg
