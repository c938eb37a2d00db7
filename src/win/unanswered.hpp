// What a process has asked members of other nodes about a window and does not wait for before its next flush, and where
// those of these questions change elements that others have to come behind (record 0167).
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <mutex>

#include "win/spans.hpp"

namespace weft::win {

/// Two counts by turns, as transport::Pending has them: who waits asks for those that began before, while other threads
/// go on to begin more. With each count goes where its questions change elements.
class Unanswered {
 public:
  /// What an answer makes less by one (transport::Questions).
  using Left = std::atomic<std::uint32_t>;

  /// One more is under way.
  Left& begin() noexcept {
    const std::scoped_lock lock(mutex_);
    return count();
  }
  /// And changes elements there, of which others are to come behind it.
  Left& begin(const Span& span) noexcept {
    const std::scoped_lock lock(mutex_);
    forget_answered();
    of(turn_).spans.add(span);
    return count();
  }
  /// One that is under way may change something there.
  bool meet(const Span& span) noexcept {
    const std::scoped_lock lock(mutex_);
    forget_answered();
    return turns_[0].spans.meet(span) || turns_[1].spans.meet(span);
  }
  /// All have been answered.
  bool none() const noexcept { return turns_[0].none() && turns_[1].none(); }

  /// Those that this thread knows to have begun when this is made.
  class Earlier {
   public:
    explicit Earlier(Unanswered& of) noexcept : all_(of) {
      const std::scoped_lock lock(all_.mutex_);
      turn_ = all_.turn_;
    }
    bool done() noexcept {
      const std::scoped_lock lock(all_.mutex_);
      // The turn before this one's is over: its count may be used again.
      if (all_.turn_ == turn_ && all_.of(turn_ + 1).none()) {
        all_.of(turn_ + 1).spans.clear();
        ++all_.turn_;
      }
      if (all_.turn_ == turn_) {
        return false;
      }
      // Two turns later whoever changed it has seen the end of this one's.
      return all_.turn_ != turn_ + 1 || all_.of(turn_).none();
    }

   private:
    Unanswered& all_;
    std::uint32_t turn_ = 0;
  };

 private:
  struct Turn {
    Left left = 0;
    Spans spans;
    // Acquire: pairs with the answers' arrival.
    bool none() const noexcept { return left.load(std::memory_order_acquire) == 0; }
  };

  Turn& of(std::uint32_t turn) noexcept { return turns_[turn % turns_.size()]; }
  // Relaxed: under the mutex, and so is every look at whether there are none that follows on a change of the turn.
  Left& count() noexcept {
    of(turn_).left.fetch_add(1, std::memory_order_relaxed);
    return of(turn_).left;
  }
  void forget_answered() noexcept {
    for (Turn& turn : turns_) {
      if (turn.none()) {
        turn.spans.clear();
      }
    }
  }

  std::mutex mutex_;
  std::uint32_t turn_ = 0;
  std::array<Turn, 2> turns_;
};

}  // namespace weft::win
