// Atomic operations on words of shared memory.
#pragma once

#include <cstddef>
#include <cstdint>

namespace weft::dsm {

enum class Op : std::uint8_t { kLoad, kStore, kSwap, kCompareSwap, kAdd, kAnd, kOr, kXor, kAddReal };
inline constexpr int kOps = 9;

/// The values are in the lowest bytes. Of a real number they are its bits.
struct WordOp {
  Op op;
  std::uint8_t bytes;  // 1, 2, 4 or 8; of kAddReal: of the type, 4 or 8
  std::uint64_t operand = 0;
  std::uint64_t expected = 0;
};

/// On a word in this processor's reach. What was there before.
std::uint64_t carry_out(void* word, const WordOp& what) noexcept;

/// The word at its home. Ends the program with a line where that is none.
std::uint64_t operate(const void* word, const WordOp& what) noexcept;

}  // namespace weft::dsm
