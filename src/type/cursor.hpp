// The data of `count` elements of a committed datatype as a row of bytes, which is what messages carry.
//
// A position is a byte of that row. Calls need not be in order, begin and end anywhere (also within an element), and
// leave nothing behind, so any thread may make them. None of them allocates.
#pragma once

#include <cstddef>
#include <cstdint>

#include "type/datatype.hpp"
#include "type/program.hpp"

namespace weft::type {

/// Bytes in memory.
struct Piece {
  void* at = nullptr;
  std::size_t bytes = 0;
};

class Cursor {
 public:
  /// The datatype is kept by whoever has the cursor. count >= 0, and count * size fits (fits()).
  Cursor(const Datatype& type, std::int64_t count) noexcept
      : program_(&type.program()), count_(count), extent_(type.extent()) {}

  /// Whether a row of so many has a length below 2^63, and addresses that do not leave the address space.
  static bool fits(const Datatype& type, std::int64_t count) noexcept;

  std::uint64_t bytes() const noexcept { return static_cast<std::uint64_t>(count_ * program_->root().bytes); }
  /// The row lies in memory as it is, from first() on.
  bool in_one_piece() const noexcept { return program_->in_one_piece(count_, extent_); }
  /// Of its pieces, in the mean, at least.
  std::uint64_t piece_bytes() const noexcept {
    return program_->runs() == 0 ? 0 : static_cast<std::uint64_t>(program_->root().bytes / program_->runs());
  }
  std::byte* first(const void* buffer) const noexcept {
    return reinterpret_cast<std::byte*>(reinterpret_cast<std::uintptr_t>(buffer) +
                                        static_cast<std::uintptr_t>(program_->root().at));
  }

  /// `bytes` of the row from `position` on, which are in it. `buffer` is the address that the call was given.
  void pack(const void* buffer, std::uint64_t position, void* into, std::size_t bytes) const noexcept;
  void unpack(void* buffer, std::uint64_t position, const void* from, std::size_t bytes) const noexcept;
  /// The pieces in which they lie, in order, at most `most`; what lies side by side is one. Returns how many.
  std::size_t list(void* buffer, std::uint64_t position, std::uint64_t bytes, Piece* into,
                   std::size_t most) const noexcept;

 private:
  template <class Move>
  void walk(void* buffer, std::uint64_t position, std::uint64_t bytes, Move* move) const noexcept;

  const Program* program_;
  std::int64_t count_;
  std::int64_t extent_;
};

}  // namespace weft::type
