// Atomic instructions and fences of the program's code, carried out by a function instead of by this processor where
// they are on memory that several machines share. Their places in the code become jumps, or traps where there is no
// room.
#pragma once

#include <cstdint>
#include <string_view>

#include "base/result.hpp"
#include "omp/sites/instruction.hpp"

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

struct Plan {
  sites::Decode* decode = nullptr;  // null: an error where there may be something to rewrite
  Carry* carry = nullptr;
  /// Libraries whose code stays as it is, by the file's name without folders.
  bool (*stays)(std::string_view library) noexcept = nullptr;
};

struct Rewritten {
  int jumps = 0;
  int traps = 0;
  int unclear = 0;  // functions of libraries that have such instructions and are not understood
};

/// Once, while no thread runs code of the program. An error: a place in the executable must stay as it is.
base::Result<Rewritten> rewrite(const Plan& plan) noexcept;

/// Operations there are given to the function from now on. False: there are too many ranges.
bool watch(std::uintptr_t from, std::uintptr_t to) noexcept;

}  // namespace weft::omp::rewrite
