// Which PE is to be the home of which page of an array, by arithmetic alone, so that all who know the array say the
// same.
#pragma once

#include <algorithm>
#include <cstdint>

#include "dsm/protocol/diff.hpp"

namespace weft::dsm {

/// Pieces of an array of so many bytes go by turns to `pes` PEs from `from` on; the turns begin anew every `period`
/// bytes. So blocks, cyclic pieces and a dimension in the middle of an array are one thing.
struct Pieces {
  std::uint64_t period = UINT64_MAX;
  std::uint64_t piece = protocol::kPageBytes;
  int from = 0;
  int pes = 1;

  bool operator==(const Pieces&) const = default;
  int owner(std::uint64_t byte) const noexcept {
    return from + static_cast<int>(byte % period / piece % static_cast<std::uint64_t>(pes));
  }
  /// The first byte behind it that may be another PE's.
  std::uint64_t end_of_piece(std::uint64_t byte) const noexcept {
    const std::uint64_t in_period = byte % period;
    const std::uint64_t rest = std::min(piece - in_period % piece, period - in_period);
    return rest > UINT64_MAX - byte ? UINT64_MAX : byte + rest;
  }
};

/// An array that begins `lead` bytes behind the beginning of its first page. A page in which several PEs have a part is
/// at home at the one that has its middle.
struct Homed {
  std::uint64_t lead = 0;
  std::uint64_t bytes = 1;
  Pieces pieces;

  /// Of the k-th page.
  int operator()(std::uint64_t k) const noexcept { return pieces.owner(middle(k)); }
  std::uint64_t page_of(std::uint64_t byte) const noexcept { return (lead + byte) / protocol::kPageBytes; }
  int of_byte(std::uint64_t byte) const noexcept { return (*this)(page_of(byte)); }
  /// The first page behind the k-th that may be at home elsewhere; the array's pages may be over before it.
  std::uint64_t next_page(std::uint64_t k) const noexcept {
    const std::uint64_t end = pieces.end_of_piece(middle(k));
    if (end >= bytes) {
      return page_of(bytes - 1) + 1;
    }
    // The first one whose middle is no longer in the piece.
    const std::uint64_t at = lead + end;
    return std::max(k + 1, (at + protocol::kPageBytes / 2 - 1) / protocol::kPageBytes);
  }

 private:
  std::uint64_t middle(std::uint64_t k) const noexcept {
    const std::uint64_t at = k * protocol::kPageBytes + protocol::kPageBytes / 2;
    return std::min(at < lead ? 0 : at - lead, bytes - 1);
  }
};

}  // namespace weft::dsm
