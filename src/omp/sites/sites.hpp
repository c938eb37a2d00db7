// Where a file's code has atomic instructions and fences, and how much of the code a jump may take the place of.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "omp/sites/functions.hpp"
#include "omp/sites/instruction.hpp"

namespace weft::omp::sites {

inline constexpr std::uint8_t kJumpBytes = 5;

struct Moved {
  std::uint64_t target = 0;  // where it jumps to, as the file has it; 0: it is no jump
  std::uint8_t length = 0;
};

struct Site {
  std::uint64_t at = 0;  // as the file has it
  Instruction is;
  // The instruction and those behind it that go along, together of at least kJumpBytes; or the instruction alone, which
  // may be shorter: then only a trap has room.
  std::uint8_t taken = 0;
  std::uint8_t n_moved = 0;
  Moved moved[kJumpBytes - 1];

  bool has_room() const noexcept { return taken >= kJumpBytes; }  // for a jump, else it becomes a trap
};

struct Sites {
  std::vector<Site> sites;  // in order
  // Functions that may have such instructions and whose code is not understood: nothing of them is among the sites.
  std::vector<std::uint64_t> unclear;
};

/// By whole functions: one counts as understood when it is instructions from beginning to end and its jumps go to
/// beginnings of instructions, so data in it is noticed.
Sites find_sites(std::span<const std::byte> file, const Functions& functions, Decode* decode) noexcept;

/// Without a decoder: false, there are none. Bytes of other instructions may look like those.
bool may_have_sites(std::span<const std::byte> file, const Functions& functions) noexcept;

}  // namespace weft::omp::sites
