// One place at the time when a thread comes to it.
#pragma once

#include <cstdint>

#include "omp/rewrite/operation.hpp"
#include "omp/sites/instruction.hpp"

namespace weft::omp::rewrite {

struct Place {
  std::uintptr_t at = 0;  // of the instruction
  sites::Instruction is;
  // Code that does it by the processor and goes on behind it, and code that only goes on; each as the stub comes to it
  // and as a trap does.
  std::uintptr_t local = 0;
  std::uintptr_t local_of_trap = 0;
  std::uintptr_t done = 0;
  std::uintptr_t done_of_trap = 0;
};

/// A thread's, as the instruction finds and leaves them. By the numbers of registers.
struct Registers {
  std::uint64_t general[16];
  std::uint64_t flags;
};

/// What stubs call: the registers are on the stack, and below that what stubs have pushed.
struct Frame {
  Registers registers;
  std::uint64_t resume;
  std::uint64_t number;  // of the place
};
/// So far below what the thread's functions may use of their stack without moving its pointer.
inline constexpr std::uint64_t kRedZone = 128;

/// In order of their addresses; they stay.
void set_places(const Place* places, std::uint64_t count, Carry* carry) noexcept;
const Place* place_at(std::uintptr_t at) noexcept;

/// False: the processor is to do it. `keep_vectors`: nobody else has saved the thread's.
bool carry_out(const Place& place, Registers& registers, bool keep_vectors) noexcept;

}  // namespace weft::omp::rewrite

extern "C" {
// Assembler: the address that stubs call.
void weft_omp_rewrite_enter();
void weft_omp_rewrite_handle(weft::omp::rewrite::Frame* frame) noexcept;
}
