// Atomic instructions and fences of the program's code, carried out by a function instead of by this processor where
// they are on memory that several machines share. Their places in the code become jumps, or traps where there is no
// room.
#pragma once

#include <string_view>

#include "base/result.hpp"
#include "omp/rewrite/operation.hpp"
#include "omp/sites/instruction.hpp"

namespace weft::omp::rewrite {

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

/// Somebody else has set a handler of SIGTRAP, and is to be asked after ours, if there are places that need one.
void take_traps_back() noexcept;

}  // namespace weft::omp::rewrite
