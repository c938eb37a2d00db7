// What is carried out. Without more headers of C++'s library: code for general registers only reads this.
#pragma once

#include <cstdint>

namespace weft::omp::rewrite {

enum class Kind : std::uint8_t { kAdd, kAnd, kOr, kXor, kSwap, kCompareSwap, kNegate, kFence };

/// 16 bytes, the lower ones first; of smaller words only the lowest bytes count, and the others are zero.
struct Value {
  std::uint64_t low = 0;
  std::uint64_t high = 0;
};

struct Operation {
  Kind kind = Kind::kFence;
  std::uint8_t size = 0;  // 1, 2, 4, 8; of kSwap and kCompareSwap of pairs 16
  void* word = nullptr;
  Value operand;
  Value expected;  // kCompareSwap: the operand is stored if this is there
  Value before;    // what was there: the answer
};

/// Of memory that was said to be shared, and of all fences. In the thread that does it, with whatever locks the program
/// has, and perhaps in a signal handler. False: the processor is to do it, and nothing has been done.
using Carry = bool(Operation& what) noexcept;

/// Operations there are given to the function from now on. False: there are too many ranges.
bool watch(std::uintptr_t from, std::uintptr_t to) noexcept;

}  // namespace weft::omp::rewrite
