// Elements of a member of another node, gathered as the rows that one question is about.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "mpi/win_elements.hpp"
#include "type/cursor.hpp"
#include "win/far.hpp"

namespace weft::mpi {

/// Of a single row that goes as several do, at most.
inline constexpr std::size_t kMostOfOneRow = win::kMostOfRows - sizeof(win::FarRow);

struct RowsThere {
  std::array<win::FarRow, win::kMostRows> of;
  std::size_t count = 0;
  std::size_t bytes = 0;

  bool has_room_for(std::size_t row) const noexcept {
    return count < of.size() && (count + 1) * sizeof(win::FarRow) + bytes + row <= win::kMostOfRows;
  }
};

/// Calls send(const RowsThere&) for the elements of `bytes` of the target's row from `position` on. A row is longer
/// than fits with others only if it is the only one.
template <class Send>
void gather_rows(const type::Cursor& there, std::byte* at, const Element& element, std::uint64_t position,
                 std::size_t bytes, Send&& send) noexcept {
  constexpr std::size_t kPieces = 64;
  RowsThere rows;
  for (std::size_t done = 0; done < bytes;) {
    std::array<type::Piece, kPieces> pieces;
    // One by one where there is something between them.
    const std::size_t listed = element.is_plain() ? bytes - done : element.bytes;
    const std::size_t count = there.list(at, position + done, listed, pieces.data(), kPieces);
    const std::size_t found = element.is_plain() ? count : 1;
    for (std::size_t k = 0; k < found; ++k) {
      const std::size_t row = element.is_plain() ? pieces[k].bytes : element.bytes;
      if (rows.count > 0 && !rows.has_room_for(row)) {
        send(rows);
        rows.count = rows.bytes = 0;
      }
      rows.of[rows.count++] = {reinterpret_cast<std::uintptr_t>(pieces[k].at), row / element.bytes};
      rows.bytes += row;
      done += row;
    }
  }
  send(rows);
}

}  // namespace weft::mpi
