// Safe mode of windows: accesses that conflict, and what a fence finds stored over. Record 0106.
#pragma once

#include "mpi/safe.hpp"
#include "mpi/win_target.hpp"
#include "win/ledger.hpp"

namespace weft::mpi {

/// What a call has done to the first bytes of the target's row; it may not be complete before the epoch is. op and
/// element: of accumulates, by their numbers.
void note_access_slowly(Win& win, const Target& target, const Aim& aim, std::uint64_t bytes, win::Touches touches,
                        std::uint32_t op, std::uint32_t element) noexcept;
inline void note_access(Win& win, const Target& target, const Aim& aim, std::uint64_t bytes, win::Touches touches,
                        std::uint32_t op = win::kAnyOp, std::uint32_t element = 0) noexcept {
  if (checks()) [[unlikely]] {
    note_access_slowly(win, target, aim, bytes, touches, op, element);
  }
}

/// This process's accesses to the rank are complete; -1: to all.
void note_complete(Win& win, int rank) noexcept;
/// All members have come to the fence; none goes on before this returns.
void check_fence(Win& win) noexcept;

}  // namespace weft::mpi
