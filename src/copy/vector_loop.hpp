// The loop of the routines that copy with vector registers. Included only by files that are compiled for one processor
// type, so nothing here may have external linkage.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

namespace weft::copy {
namespace {

// Vector: load(at), store(at, value), store_aligned(at, value) of kBytes. The first and the last register are copied
// unaligned and may overlap what the loop copies: so its stores are aligned, and no odd rest is left.
template <class Vector>
[[gnu::always_inline]] inline void copy_with(void* to, const void* from, std::size_t bytes) noexcept {
  constexpr std::size_t kWidth = Vector::kBytes;
  constexpr std::size_t kStep = 4 * kWidth;
  if (bytes < kStep) {
    std::memcpy(to, from, bytes);
    return;
  }
  auto* target = static_cast<char*>(to);
  const auto* source = static_cast<const char*>(from);
  char* const last_at = target + bytes - kWidth;
  const auto last = Vector::load(source + bytes - kWidth);
  Vector::store(target, Vector::load(source));
  const std::size_t skip = kWidth - reinterpret_cast<std::uintptr_t>(target) % kWidth;
  target += skip;
  source += skip;
  bytes -= skip;
  for (; bytes >= kStep; bytes -= kStep, target += kStep, source += kStep) {
    const auto a = Vector::load(source);
    const auto b = Vector::load(source + kWidth);
    const auto c = Vector::load(source + 2 * kWidth);
    const auto d = Vector::load(source + 3 * kWidth);
    Vector::store_aligned(target, a);
    Vector::store_aligned(target + kWidth, b);
    Vector::store_aligned(target + 2 * kWidth, c);
    Vector::store_aligned(target + 3 * kWidth, d);
  }
  for (; bytes >= kWidth; bytes -= kWidth, target += kWidth, source += kWidth) {
    Vector::store_aligned(target, Vector::load(source));
  }
  Vector::store(last_at, last);
}

}  // namespace
}  // namespace weft::copy
