// Atomic operations on pairs of words, 16 bytes, of shared memory.
#pragma once

#include <cstdint>

#include "dsm/words.hpp"

namespace weft::dsm {

struct alignas(16) Pair {
  std::uint64_t first = 0;
  std::uint64_t second = 0;
  bool operator==(const Pair&) const = default;
};
static_assert(sizeof(Pair) == 16);

/// kLoad, kStore, kSwap or kCompareSwap.
struct PairOp {
  Op op;
  Pair operand;
  Pair expected;
};
constexpr bool is_of_pairs(Op op) noexcept { return op <= Op::kCompareSwap; }

/// On a pair in this processor's reach, at a multiple of 16. What was there before.
Pair carry_out_pair(void* pair, const PairOp& what) noexcept;
/// What it has left there, where that was there before.
constexpr Pair left_by(const PairOp& what, const Pair& before) noexcept {
  const bool stored =
      what.op == Op::kStore || what.op == Op::kSwap || (what.op == Op::kCompareSwap && before == what.expected);
  return stored ? what.operand : before;
}

Pair operate_by_pages(std::uint64_t offset, const PairOp& what) noexcept;
/// The pair at its home. It has that offset.
inline Pair operate_pair(const void* pair, std::uint64_t offset, const PairOp& what) noexcept {
  return g.way == Way::kMemory ? carry_out_pair(const_cast<void*>(pair), what) : operate_by_pages(offset, what);
}

}  // namespace weft::dsm
