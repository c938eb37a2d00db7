// Puts and gets of many short pieces between hosts, which go together as elements (record 0170).
#pragma once

#include <cstdint>

#include "mpi/memory.hpp"
#include "mpi/win_target.hpp"
#include "mpi/windows.hpp"
#include "type/cursor.hpp"

namespace weft::mpi {

/// Bytes of a piece that costs the network more than its bytes do. A network that sends small puts in one message by
/// itself has what follows on each for less than it costs to ask for it, down to a few words.
constexpr std::uint64_t short_bytes(bool puts, bool joins_puts) noexcept { return puts && joins_puts ? 32 : 128; }

/// So many bytes of it are in many pieces that are short in the mean of the whole datatype. A few cost nothing that is
/// worth asking for.
inline bool is_scattered(const type::Cursor& row, std::uint64_t bytes, std::uint64_t short_bytes) noexcept {
  constexpr std::uint64_t kFew = 8;
  const std::uint64_t piece = row.piece_bytes();
  return !row.in_one_piece() && piece <= short_bytes && bytes / kFew > piece;
}

/// Done, or, of a put and of a get into one piece, under way. False: it is not of whole elements of one kind, and
/// nothing was done.
bool move_together(Win& win, const Target& target, const Memory& origin, const Aim& aim, std::uint64_t bytes,
                   bool puts) noexcept;

}  // namespace weft::mpi
