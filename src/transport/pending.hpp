// What counts the operations under way, so that somebody can wait for them.
#pragma once

#include <atomic>
#include <cstdint>

namespace weft::transport {

/// The operations of one kind (those of a context, those of one call) that are under way.
///
/// Who waits for them asks for those that began before; other threads may go on to begin more, and without a pause. So
/// there are two counts, used by turns: new operations are counted in one, while the other one can only become less.
class Pending {
 public:
  /// Where an operation is counted until it is complete.
  class Count {
   public:
    // Release: pairs with none(). What the operation wrote here is visible to who sees that it is complete.
    void end() noexcept { left_.fetch_sub(1, std::memory_order_release); }

   private:
    friend class Pending;
    // seq_cst for Pending::begin(); it is an acquire for the rest.
    bool none() const noexcept { return left_.load(std::memory_order_seq_cst) == 0; }
    std::atomic<std::int64_t> left_{0};
  };

  Count* begin() noexcept {
    for (;;) {
      // All seq_cst: either this sees that the turn has changed, or who changes it sees this operation in the count.
      // Then none is ever counted in the wrong one when begin() returns.
      const std::uint32_t turn = turn_.load(std::memory_order_seq_cst);
      Count& count = counts_[turn % 2];
      count.left_.fetch_add(1, std::memory_order_seq_cst);
      if (turn_.load(std::memory_order_seq_cst) == turn) [[likely]] {
        return &count;
      }
      // Relaxed: nothing was done under it.
      count.left_.fetch_sub(1, std::memory_order_relaxed);
    }
  }

  /// None is under way: what a call waits for that counts its own ones only.
  bool done() const noexcept { return counts_[0].none() && counts_[1].none(); }

  /// Those that this thread knows to have begun when this is made.
  class Earlier {
   public:
    explicit Earlier(const Pending& of) noexcept : of_(of), turn_(of.turn_.load(std::memory_order_seq_cst)) {}

    bool done() noexcept {
      std::uint32_t turn = of_.turn_.load(std::memory_order_seq_cst);
      // The turn before this one's is over: its count may be used again.
      if (turn == turn_ && of_.counts_[(turn_ + 1) % 2].none() &&
          of_.turn_.compare_exchange_strong(turn, turn_ + 1, std::memory_order_seq_cst)) {
        turn = turn_ + 1;
      }
      if (turn == turn_) {
        return false;
      }
      // Two turns later whoever changed it has seen the end of this one's.
      return turn != turn_ + 1 || of_.counts_[turn_ % 2].none();
    }

   private:
    const Pending& of_;
    const std::uint32_t turn_;
  };

 private:
  // How they are counted, and no operation changes with it.
  mutable std::atomic<std::uint32_t> turn_{0};
  Count counts_[2];
};

}  // namespace weft::transport
