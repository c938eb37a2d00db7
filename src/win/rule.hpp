// By what elements of a member's memory are changed that the processor has instructions for: by these, or by loops
// under the member's lock for elements. Never by both at a time, or changes are lost. So all who access the member look
// at it when an epoch begins there, and it changes only when nobody has one.
//
// Instructions it is at first. It becomes the lock, for good, when somebody has changed long rows: by who holds the
// member's lock alone, or by the member itself, from a fence or a post on. Who accesses it without a lock
// (MPI_MODE_NOCHECK) settles it first, as it may be whenever others have the lock: then it stays what it is.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "lock/readers.hpp"

namespace weft::win {

enum class By : std::uint32_t { kInstructions, kLock, kInstructionsForGood };

/// A part of a member's block.
struct RuleWords {
  std::atomic<By> by;
  std::atomic<std::uint32_t> from_fence;  // it is the lock behind that fence, whatever `by` says; 0: none
  std::atomic<std::uint32_t> row_bytes;   // of long rows that were changed by instructions; kLongRows of them: a wish
};
static_assert(sizeof(RuleWords) == 12 && std::is_standard_layout_v<RuleWords>);

/// A row of so many elements is long, and so many bytes of such make loops under the lock the better way.
inline constexpr std::size_t kLongRow = 32;
inline constexpr std::uint32_t kLongRows = std::uint32_t{64} << 10;

/// Somebody has changed long rows. Relaxed, here and below: it is a wish, and nothing is read by it.
inline bool has_long_rows(const RuleWords& words) noexcept {
  return words.row_bytes.load(std::memory_order_relaxed) >= kLongRows;
}
inline void count_long_row(RuleWords& words, std::size_t bytes) noexcept {
  if (!has_long_rows(words)) {
    words.row_bytes.fetch_add(static_cast<std::uint32_t>(bytes < kLongRows ? bytes : kLongRows),
                              std::memory_order_relaxed);
  }
}

/// Of who has the member's lock, or accesses it behind a fence or a post; `fences`: how many it has come to.
inline bool is_by_lock(const RuleWords& words, std::uint32_t fences) noexcept {
  // Relaxed: the fence has ordered this behind the member's store.
  const std::uint32_t from = words.from_fence.load(std::memory_order_relaxed);
  // Acquire: what was changed by instructions before is seen by loops. Who has no lock is ordered by nothing else.
  return words.by.load(std::memory_order_acquire) == By::kLock || (from != 0 && fences >= from);
}
/// Nobody changes it any more.
inline bool is_settled(const RuleWords& words) noexcept {
  return words.by.load(std::memory_order_relaxed) != By::kInstructions;
}

/// By who holds the member's lock alone, by the member before it lets others in, or by who accesses it without a lock:
/// the first one's word holds.
inline void settle(RuleWords& words, By by) noexcept {
  By expected = By::kInstructions;
  if (!is_settled(words)) {
    // Release: pairs with is_by_lock(). A failure reads nothing that is used.
    (void)words.by.compare_exchange_strong(expected, by, std::memory_order_release, std::memory_order_relaxed);
  }
}

/// By who is about to take the member's lock, or, holds_alone, has it. Where others have it it is left for another
/// time: they may have it for ever, and wait for this one. `me` is a PE, for people.
inline void settle_by_wish(RuleWords& words, lock::SharedLock& lock, bool holds_alone, int me) noexcept {
  if (!has_long_rows(words) || is_settled(words)) [[likely]] {
    return;
  }
  if (holds_alone) {
    settle(words, By::kLock);
  } else if (lock::try_to_take(lock, lock::Mode::kExclusive, me)) {
    settle(words, By::kLock);
    lock::leave(lock, lock::Mode::kExclusive);
  }
}

/// Where an epoch begins: whether it is by the lock. Who has no lock settles it.
inline bool look_at(RuleWords& words, bool has_lock, std::uint32_t fences) noexcept {
  if (!has_lock) {
    settle(words, By::kInstructionsForGood);
  }
  return is_by_lock(words, fences);
}

/// By the member, before it comes to the fence of that number, which all wait for; epochs that end there are as they
/// were.
inline void settle_from_fence(RuleWords& words, std::uint32_t fence) noexcept {
  // Relaxed, all: who accesses it later has met this one at the fence.
  if (has_long_rows(words) && words.from_fence.load(std::memory_order_relaxed) == 0) {
    words.from_fence.store(fence, std::memory_order_relaxed);
  }
}

}  // namespace weft::win
