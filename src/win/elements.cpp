#include "win/elements.hpp"

#include <algorithm>

namespace weft::win {
namespace {

// An element at an odd address, of which no other one's address divides its size either.
void change_apart(std::byte* at, std::size_t element, const void* with, void* before, const Change& how) noexcept {
  alignas(16) std::byte now[8];
  std::memcpy(now, at, element);
  if (before != nullptr) {
    std::memcpy(before, now, element);
  }
  if (with == nullptr || how.does == Change::Does::kNothing) {
    return;
  }
  if (how.does == Change::Does::kReplace) {
    std::memcpy(at, with, element);
    return;
  }
  alignas(16) std::byte value[8];
  std::memcpy(value, with, element);
  how.kernel(value, now, 1);
  std::memcpy(at, now, element);
}

// Of a row, what goes in, where it may be read as elements.
template <class T>
const T* aligned(const std::byte* with, std::size_t count, T* room) noexcept {
  if (is_aligned(with, sizeof(T))) {
    return reinterpret_cast<const T*>(with);
  }
  std::memcpy(room, with, count * sizeof(T));
  return room;
}

// Each element is changed by itself, but the operation is called once for many: what it made of an element that
// somebody has changed meanwhile is made again.
template <class T>
void combine_row(std::byte* at, std::size_t count, const std::byte* with, std::byte* before,
                 const Change& how) noexcept {
  constexpr std::size_t kAtATime = 64;
  alignas(64) T was[kAtATime];
  alignas(64) T now[kAtATime];
  alignas(64) T room[kAtATime];
  for (std::size_t done = 0; done < count; done += kAtATime) {
    const std::size_t n = std::min(count - done, kAtATime);
    auto* const words = reinterpret_cast<std::atomic<T>*>(at) + done;
    for (std::size_t k = 0; k < n; ++k) {
      was[k] = now[k] = words[k].load(std::memory_order_relaxed);  // here and below: as detail::change()
    }
    const T* const values = aligned(with + done * sizeof(T), n, room);
    how.kernel(values, now, n);
    for (std::size_t k = 0; k < n; ++k) {
      T seen = was[k];
      if (now[k] != seen && !words[k].compare_exchange_strong(seen, now[k], std::memory_order_relaxed)) {
        was[k] = detail::change<T>(reinterpret_cast<std::byte*>(words + k), values[k], how);
      }
    }
    if (before != nullptr) {
      std::memcpy(before + done * sizeof(T), was, n * sizeof(T));
    }
  }
}

// Nobody wants what was there.
template <class T>
void replace_row(std::byte* at, std::size_t count, const std::byte* with) noexcept {
  auto* const words = reinterpret_cast<std::atomic<T>*>(at);
  for (std::size_t k = 0; k < count; ++k) {
    T value;
    std::memcpy(&value, with + k * sizeof value, sizeof value);
    words[k].store(value, std::memory_order_relaxed);
  }
}

// False: it is to be done element by element, or by no instruction.
template <class T>
bool change_many(std::byte* at, std::size_t count, const std::byte* with, std::byte* before,
                 const Change& how) noexcept {
  if (with == nullptr) {
    return false;
  }
  if (how.does == Change::Does::kReplace && before == nullptr) {
    replace_row<T>(at, count, with);
    return true;
  }
  if (how.does == Change::Does::kCombine && !how.adds) {
    combine_row<T>(at, count, with, before, how);
    return true;
  }
  return false;
}

bool change_many(std::byte* at, std::size_t element, std::size_t count, const std::byte* with, std::byte* before,
                 const Change& how) noexcept {
  switch (element) {
    case 2: return change_many<std::uint16_t>(at, count, with, before, how);
    case 4: return change_many<std::uint32_t>(at, count, with, before, how);
    default: return change_many<std::uint64_t>(at, count, with, before, how);
  }
}

template <class Do>
void each(const std::byte* with, std::byte* before, std::size_t element, std::size_t count, Do&& change) noexcept {
  for (std::size_t k = 0; k < count; ++k) {
    change(k * element, with == nullptr ? nullptr : with + k * element,
           before == nullptr ? nullptr : before + k * element);
  }
}

}  // namespace

void change_row(Member& member, std::byte* at, std::size_t element, std::size_t count, const void* with, void* before,
                const Change& how) noexcept {
  const auto* const from = static_cast<const std::byte*>(with);
  auto* const into = static_cast<std::byte*>(before);
  const bool is_even = is_aligned(at, element);
  if (is_even && !member.goes_by_lock()) {
    if (count >= kLongRow && member.is_here()) {
      count_long_row(member.line->rule, count * element);
    }
    if (count > 1 && change_many(at, element, count, from, into, how)) {
      return;
    }
    each(from, into, element, count, [&](std::size_t offset, const void* value, void* was) noexcept {
      change_one(at + offset, element, value, was, how);
    });
    return;
  }
  const ElementsLock lock(member);
  if (is_even && is_aligned(from, element)) {
    change_alone(at, element, count, with, before, how);
    return;
  }
  each(from, into, element, count, [&](std::size_t offset, const void* value, void* was) noexcept {
    change_apart(at + offset, element, value, was, how);
  });
}

void change_alone(std::byte* at, std::size_t element, std::size_t count, const void* with, void* before,
                  const Change& how) noexcept {
  if (before != nullptr) {
    std::memcpy(before, at, count * element);
  }
  if (with == nullptr || how.does == Change::Does::kNothing) {
    return;
  }
  if (how.does == Change::Does::kReplace) {
    std::memmove(at, with, count * element);
    return;
  }
  how.kernel(with, at, count);
}

}  // namespace weft::win
