// Whose the network is: the PE's that polls it, or the thread's that serves others while the PE does not
// (progress.hpp). Words that both sides have, and how either learns what the other has said; explored in tests/models.
#pragma once

#include <atomic>
#include <cstdint>

namespace weft::progress {

struct Turn {
  // How long after the PE's last poll the thread takes over, at most: it looks more and more seldom while the PE polls,
  // unless others are expected.
  static constexpr std::uint64_t kShortestLookNs = 500'000;
  static constexpr std::uint64_t kLongestLookNs = 4'000'000;
  // The same where the PE may be back at once. To be woken takes as long on virtual processors.
  static constexpr std::uint64_t kSoonNs = 100'000;

  /// What a PE does that does not poll.
  enum class While : bool { kLiesDown, kComputes };

  // --- the PE's side

  /// Not an atomic increment: of two threads that poll at a time one may put the count back to an older one. What that
  /// hides is made good by the next poll, or by the thread's next look.
  void poll() noexcept { polls.store(polls.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed); }
  /// It is the thread's at once.
  void take_over(While what) noexcept;
  /// It is the thread's soon, unless the PE polls again.
  void look_soon() noexcept;
  void end() noexcept;

  // --- the thread's side

  /// The PE has said that it will not poll, and has not since.
  bool is_left() const noexcept {
    return polls.load(std::memory_order_relaxed) == left_at.load(std::memory_order_relaxed);
  }
  bool computes() const noexcept { return what.load(std::memory_order_relaxed) == While::kComputes; }
  /// It has not polled since `seen`, or is left: the network is the thread's.
  bool serves(std::uint64_t seen) const noexcept {
    return (polls.load(std::memory_order_relaxed) == seen || is_left()) && !ended.load(std::memory_order_acquire);
  }
  /// Sleeps while the PE polls, by sleep(word, value, at most so long). False when the thread is to end.
  template <class Sleep>
  bool keep_away(std::uint64_t* seen, Sleep&& sleep) noexcept {
    bool was_told = false;
    for (std::uint64_t look = kShortestLookNs; !ended.load(std::memory_order_acquire);) {
      // Acquire: pairs with take_over(), for the count that goes with it.
      const std::uint32_t wanted_now = wanted.load(std::memory_order_acquire);
      // Relaxed, both: before the fence. What the last look was says nothing of this one.
      looks_soon.store(false, std::memory_order_relaxed);
      away.store(true, std::memory_order_relaxed);
      // Pairs with the PE's own, in take_over() and look_soon().
      std::atomic_thread_fence(std::memory_order_seq_cst);
      // The first look finds that the PE has polled, as it has told; the one behind that whether it has since. Acquire:
      // pairs with look_soon(), for the count of polls.
      const bool told = soon.exchange(false, std::memory_order_acquire);
      const bool is_short = was_told || told;
      was_told = told;
      if (is_short) {
        // Relaxed: who does not see it wakes the thread for nothing, which looks again.
        looks_soon.store(true, std::memory_order_relaxed);
      }
      if (!is_left()) {
        sleep(wanted, wanted_now, is_short ? kSoonNs : look);
      }
      away.store(false, std::memory_order_relaxed);
      const std::uint64_t now = polls.load(std::memory_order_relaxed);
      if (now == *seen || is_left()) {
        *seen = now;
        return true;
      }
      *seen = now;
      const bool expects = is_short || expected.load(std::memory_order_relaxed) > 0;
      look = expects ? kShortestLookNs : look * 2 < kLongestLookNs ? look * 2 : kLongestLookNs;
    }
    return false;
  }

  std::atomic<std::uint64_t> polls = 0;
  std::atomic<std::uint64_t> left_at = UINT64_MAX;  // the count when the PE lay down, or went on with its program
  std::atomic<While> what = While::kLiesDown;
  std::atomic<std::uint32_t> wanted = 0;  // a futex: moves when the thread is to look at once
  std::atomic<bool> away = false;
  std::atomic<bool> soon = false;        // the next look is to be a short one
  std::atomic<bool> looks_soon = false;  // the one that runs is, and the next one will see `soon`
  std::atomic<int> expected = 0;         // who says that others are
  std::atomic<bool> ended = false;
};

}  // namespace weft::progress
