// A copy under way: pieces of this process on one side, ranges of a peer's place on the other, and how far it is. So
// that one way can go on where another was stopped.
#pragma once

#include <sys/uio.h>

#include <cstddef>
#include <cstdint>

#include "reach/card.hpp"
#include "reach/way.hpp"

namespace weft::reach {

/// Of this process; written to when reading.
struct Piece {
  void* at;
  std::size_t bytes;
};

/// Of a peer's place.
struct Range {
  std::uint64_t offset;
  std::uint64_t bytes;
};

struct Ours {
  const Piece* pieces;
  std::size_t count;
};
struct Theirs {
  Place place;
  const Range* ranges;
  std::size_t count;
};

/// What is contiguous on both sides.
struct Stretch {
  std::byte* ours;
  std::uint64_t address;  // in the peer
  std::uint64_t offset;   // in the place
  std::size_t bytes;
};

class Walk {
 public:
  /// As many bytes as both sides have. The lists stay where they are.
  Walk(Direction direction, const Ours& ours, const Theirs& theirs) noexcept;

  /// Every range lies in the place, and the place in an address space. What does not is no memory of the peer.
  bool fits() const noexcept { return fits_; }
  Direction direction() const noexcept { return direction_; }
  const Place& place() const noexcept { return theirs_.place; }
  std::uint64_t left() const noexcept { return left_; }
  std::uint64_t done() const noexcept { return done_; }

  /// Only while something is left.
  Stretch stretch() const noexcept;
  /// `bytes` is at most what is left.
  void advance(std::uint64_t bytes) noexcept;

  /// The next `bytes`, or as many as `most` pieces hold: returns the number of pieces.
  std::size_t list_ours(iovec* into, std::size_t most, std::uint64_t bytes) const noexcept;
  std::size_t list_theirs(iovec* into, std::size_t most, std::uint64_t bytes) const noexcept;

 private:
  void skip_empty() noexcept;

  Ours ours_;
  Theirs theirs_;
  std::size_t our_index_ = 0;
  std::size_t their_index_ = 0;
  std::uint64_t our_offset_ = 0;    // in the piece
  std::uint64_t their_offset_ = 0;  // in the range
  std::uint64_t left_ = 0;
  std::uint64_t done_ = 0;
  Direction direction_;
  bool fits_ = true;
};

}  // namespace weft::reach
