// Changing elements of a member's memory, so that none of several changes of one element is lost.
//
// One rule says how, by the element alone and what has been settled for the member (rule.hpp), so that all who change
// it do it alike: what the node has mapped, and has 2, 4 or 8 bytes at an address that they divide, is changed by
// processor instructions; all else under a lock of the member, by whoever changes it: read, changed, written back.
// Single bytes too: programs mean by a row of them what has no datatype, such as a pointer with a rank, and count on it
// to be replaced whole.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "lock/elsewhere.hpp"
#include "lock/shared.hpp"
#include "win/member.hpp"
#include "win/waits.hpp"

namespace weft::win {

/// Behind a change of the queue of one of the member's locks, by a process of its node: who waits on other nodes hears
/// of it (far.hpp). Inline: mostly nobody does.
void tell_far_waiters(const Member& home) noexcept;
inline void tell_elsewhere(const Member& home) noexcept {
  if (lock::somebody_waits_elsewhere(home.line->elsewhere)) [[unlikely]] {
    tell_far_waiters(home);
  }
}

/// into[k] = with[k] op into[k]; null: nothing changes. Elements as they lie in a program's memory.
using Kernel = void (*)(const void* with, void* into, std::size_t count) noexcept;

/// What is done with an element.
struct Change {
  enum class Does : std::uint8_t { kCombine, kReplace, kNothing };
  Does does = Does::kNothing;
  bool adds = false;  // a sum of integers
  Kernel kernel = nullptr;
};

inline bool by_processor(Way way, std::size_t element) noexcept {
  return way == Way::kMapped && (element == 2 || element == 4 || element == 8);
}
inline bool is_aligned(const std::byte* at, std::size_t element) noexcept {
  return reinterpret_cast<std::uintptr_t>(at) % element == 0;
}

namespace detail {

// relaxed, all of them: accesses of a window are ordered by its epochs and flushes; an element's own changes are in one
// order whatever the memory order says.
template <class T>
T change(std::byte* at, T with, const Change& how) noexcept {
  auto& word = *reinterpret_cast<std::atomic<T>*>(at);
  static_assert(std::atomic<T>::is_always_lock_free && sizeof(std::atomic<T>) == sizeof(T));
  switch (how.does) {
    case Change::Does::kNothing: return word.load(std::memory_order_relaxed);
    case Change::Does::kReplace: return word.exchange(with, std::memory_order_relaxed);
    case Change::Does::kCombine: break;
  }
  if (how.adds) {
    return word.fetch_add(with, std::memory_order_relaxed);
  }
  T before = word.load(std::memory_order_relaxed);
  for (;;) {
    T after = before;
    how.kernel(&with, &after, 1);
    // Where nothing changes nothing need be stored.
    if (after == before || word.compare_exchange_weak(before, after, std::memory_order_relaxed)) {
      return before;
    }
  }
}

template <class T>
void change_at(std::byte* at, const void* with, void* before, const Change& how) noexcept {
  T value{};
  if (with != nullptr) {
    std::memcpy(&value, with, sizeof value);
  }
  const T was = change<T>(at, value, how);
  if (before != nullptr) {
    std::memcpy(before, &was, sizeof was);
  }
}

template <class T>
bool swap_at(std::byte* at, const void* compare, const void* with, void* before) noexcept {
  T expected{};
  T value{};
  std::memcpy(&expected, compare, sizeof expected);
  std::memcpy(&value, with, sizeof value);
  // relaxed: as above.
  const bool swapped =
      reinterpret_cast<std::atomic<T>*>(at)->compare_exchange_strong(expected, value, std::memory_order_relaxed);
  std::memcpy(before, &expected, sizeof expected);
  return swapped;
}

}  // namespace detail

/// One element that the processor changes. with may be null where nothing is changed, before where nobody wants it.
inline void change_one(std::byte* at, std::size_t element, const void* with, void* before, const Change& how) noexcept {
  switch (element) {
    case 2: return detail::change_at<std::uint16_t>(at, with, before, how);
    case 4: return detail::change_at<std::uint32_t>(at, with, before, how);
    default: return detail::change_at<std::uint64_t>(at, with, before, how);
  }
}
/// One that becomes another if it is what was expected.
inline void swap_one(std::byte* at, std::size_t element, const void* compare, const void* with, void* before) noexcept {
  switch (element) {
    case 2: return void(detail::swap_at<std::uint16_t>(at, compare, with, before));
    case 4: return void(detail::swap_at<std::uint32_t>(at, compare, with, before));
    default: return void(detail::swap_at<std::uint64_t>(at, compare, with, before));
  }
}
/// Elements in a row, which the processor changes; under the lock where the member's rule is so, or the address odd.
void change_row(Member& member, std::byte* at, std::size_t element, std::size_t count, const void* with, void* before,
                const Change& how) noexcept;

/// Elements in a row that nobody else changes meanwhile, at addresses that their size divides: in one loop.
void change_alone(std::byte* at, std::size_t element, std::size_t count, const void* with, void* before,
                  const Change& how) noexcept;

/// The lock of all else.
class ElementsLock {
 public:
  explicit ElementsLock(const Member& member) noexcept : member_(member) {
    take_lock(member_, member_.line->elements, lock::Mode::kExclusive, boot::OfWindow::kElements);
  }
  ~ElementsLock() {
    lock::let_go(member_.line->elements, lock::Mode::kExclusive, member_.pe);
    tell_elsewhere(member_);
  }
  ElementsLock(const ElementsLock&) = delete;
  ElementsLock& operator=(const ElementsLock&) = delete;

 private:
  const Member& member_;
};

}  // namespace weft::win
