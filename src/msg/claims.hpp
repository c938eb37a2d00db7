// Which pieces of a message the receiver copies, from the first one on, and which the sender, from the last one back;
// and how far the sender is with its own. Explored by tests/models.
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
  /// Of a message that begins; the answer that offers it publishes it.
  void clear() noexcept { word_.store(0, std::memory_order_relaxed); }
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
  // In one turn: while a side is at it the other one may wait, and a sender's other messages.
  static constexpr std::uint64_t kMostOfTurn = 64;

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
      // A half each where both are there, so that each finds the same half in its cache the next time; of what is left
      // where the other one has not come.
      const std::uint64_t others = first + last - before;
      const std::uint64_t share = before == 0   ? std::min<std::uint64_t>((pieces_ + 1) / 2, left)
                                  : others == 0 ? (left + 1) / 2
                                                : std::max<std::uint64_t>(left / kShare, 1);
      const std::uint64_t count = std::min(share, kMostOfTurn);
      if (word_.compare_exchange_weak(word, word + count * unit, std::memory_order_relaxed)) {
        return {static_cast<std::uint32_t>(before), static_cast<std::uint32_t>(count)};
      }
    }
  }

  std::atomic<std::uint64_t>& word_;
  std::uint32_t pieces_;
};

/// How many pieces the sender has written, in a word that it alone changes once the message is offered.
class Written {
 public:
  explicit Written(std::atomic<std::uint64_t>& word) noexcept : word_(word) {}

  /// As Claims::clear().
  void clear() noexcept { word_.store(0, std::memory_order_relaxed); }

  /// The sender's. Relaxed looks: only this side writes there now.
  bool is_refused() const noexcept { return (word_.load(std::memory_order_relaxed) & kRefused) != 0; }
  void add(std::uint32_t pieces) noexcept {
    const std::uint64_t before = word_.load(std::memory_order_relaxed);
    word_.store(before + pieces, std::memory_order_release);  // they are there
  }
  /// It takes no more, and has not written all that it took.
  void refuse() noexcept {
    const std::uint64_t before = word_.load(std::memory_order_relaxed);
    word_.store(before | kRefused, std::memory_order_release);  // it writes nothing behind this
  }

  /// The receiver's.
  struct Told {
    std::uint64_t pieces;
    bool is_refused;
  };
  Told look() const noexcept {
    const std::uint64_t word = word_.load(std::memory_order_acquire);  // what is written is there
    return {word & ~kRefused, (word & kRefused) != 0};
  }

 private:
  static constexpr std::uint64_t kRefused = std::uint64_t{1} << 63;
  std::atomic<std::uint64_t>& word_;
};

}  // namespace weft::msg
