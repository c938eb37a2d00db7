// Which pieces of a message the receiver copies, from the first one on, and which the sender, from the last one back.
// Pure.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>

namespace weft::msg {

/// Of so many pieces, in a word that both change: how many the receiver has taken, and in the upper half the sender.
/// All relaxed: what a piece needs is told by the answer that offers them, and that it is written by another word.
class Claims {
 public:
  Claims(std::atomic<std::uint64_t>& word, std::uint32_t pieces) noexcept : word_(word), pieces_(pieces) {}

  /// Pieces [begin, end); none: all are taken.
  struct Run {
    std::uint32_t begin = 0;
    std::uint32_t end = 0;
    bool empty() const noexcept { return begin == end; }
  };
  /// The receiver's next ones.
  Run take_first() noexcept {
    const Taken taken = take(kFirst);
    return {taken.before, taken.before + taken.count};
  }
  /// The sender's.
  Run take_last() noexcept {
    const Taken taken = take(kLast);
    return {pieces_ - taken.before - taken.count, pieces_ - taken.before};
  }
  /// Nobody takes any more.
  void close() noexcept { (void)word_.fetch_or(kClosed, std::memory_order_relaxed); }
  /// How many the sender has taken; not more than there are.
  std::uint32_t last_ones() const noexcept {
    return static_cast<std::uint32_t>(
        std::min<std::uint64_t>((word_.load(std::memory_order_relaxed) & ~kClosed) / kLast, pieces_));
  }

 private:
  static constexpr std::uint64_t kFirst = 1;
  static constexpr std::uint64_t kLast = std::uint64_t{1} << 32;
  static constexpr std::uint64_t kClosed = std::uint64_t{1} << 63;
  // Of what is left behind the first turn, so that both have something to do until the end.
  static constexpr std::uint64_t kShare = 4;

  struct Taken {
    std::uint32_t before = 0;  // by that side
    std::uint32_t count = 0;
  };
  // Whatever the word holds, as others write it.
  Taken take(std::uint64_t unit) noexcept {
    std::uint64_t word = word_.load(std::memory_order_relaxed);
    for (;;) {
      const std::uint64_t first = word & (kLast - 1);
      const std::uint64_t last = (word & ~kClosed) / kLast;
      if ((word & kClosed) != 0 || first + last >= pieces_) {
        return {};
      }
      const std::uint64_t left = pieces_ - first - last;
      const std::uint64_t before = unit == kFirst ? first : last;
      // A half each where both are there, so that each finds the same half in its cache the next time.
      const std::uint64_t count =
          before == 0 ? std::min<std::uint64_t>((pieces_ + 1) / 2, left) : std::max<std::uint64_t>(left / kShare, 1);
      if (word_.compare_exchange_weak(word, word + count * unit, std::memory_order_relaxed)) {
        return {static_cast<std::uint32_t>(before), static_cast<std::uint32_t>(count)};
      }
    }
  }

  std::atomic<std::uint64_t>& word_;
  std::uint32_t pieces_;
};

}  // namespace weft::msg
