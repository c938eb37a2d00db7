// Accumulates of rows: elements of a member changed by the processor, under the member's lock, or by its own host.
#pragma once

#include <mpi.h>

#include <cstddef>
#include <cstdint>

#include "mpi/ops.hpp"
#include "mpi/win_elements.hpp"
#include "mpi/win_target.hpp"
#include "reach/way.hpp"
#include "type/cursor.hpp"
#include "win/elements.hpp"

namespace weft::mpi {

/// One side of a call in this process; its row in pieces of a chunk.
class Row {
 public:
  /// Null: there is none.
  Row(const void* at, MPI_Count count, const Datatype* type) noexcept
      : at_(at),
        cursor_(*(type == nullptr ? find<Datatype>(MPI_BYTE) : type)->type, type == nullptr ? 0 : count),
        is_there_(type != nullptr),
        whole_(cursor_.in_one_piece()) {}

  bool is_there() const noexcept { return is_there_; }
  std::uint64_t bytes() const noexcept { return cursor_.bytes(); }
  /// It lies in a row, or is not there.
  bool is_whole() const noexcept { return whole_ || !is_there_; }
  /// A part of the row, to be read: where it lies or in the room.
  const std::byte* read(std::uint64_t position, std::size_t bytes, std::byte* room) const noexcept {
    if (whole_) {
      return cursor_.first(at_) + position;
    }
    cursor_.pack(at_, position, room, bytes);
    return room;
  }
  /// A part of it, to be written: behind that has_written().
  std::byte* to_write(std::uint64_t position, std::byte* room) const noexcept {
    return whole_ ? cursor_.first(at_) + position : room;
  }
  void has_written(std::uint64_t position, std::size_t bytes, const std::byte* room) const noexcept {
    if (!whole_) {
      cursor_.unpack(const_cast<void*>(at_), position, room, bytes);
    }
  }

 private:
  const void* at_;
  type::Cursor cursor_;
  bool is_there_;
  bool whole_;
};

/// What is done, with what, and where what was there goes.
struct Wanted {
  Element element;
  const Row& origin;
  const Row& result;
  const win::Change& change;
  const Op& op;
};
/// As many bytes as the origin has, or, where nothing goes in, the target.
reach::Moved change_elements(Win& win, const Target& target, const Aim& aim, const Wanted& wanted) noexcept;

}  // namespace weft::mpi
