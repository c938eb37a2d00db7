#include "win/elements.hpp"

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
