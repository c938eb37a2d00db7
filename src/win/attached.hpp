// Memory that a member has attached to a window without memory of its own (MPI_Win_create_dynamic): a table in its own
// area, which the others copy when its version has changed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "win/held.hpp"
#include "win/member.hpp"

namespace weft::win {

class Attached {
 public:
  struct Piece {
    std::uint64_t address = 0;  // in the member
    std::uint64_t bytes = 0;
    Held held;
    transport::RegionKey key;  // lent to members of other nodes
  };

  enum class Outcome : std::uint8_t { kDone, kOverlaps, kUnknown, kNoMemory };
  /// Of this process's own, which it shows in its block.
  Outcome add(Line& line, const void* at, std::uint64_t bytes, bool lends) noexcept;
  /// `gone`: whose key and memory are to be given back then, when no lock is held that a handler of messages takes.
  Outcome remove(Line& line, const void* at, Piece* gone) noexcept;
  /// The members have met for the last time.
  void close() noexcept;
  bool is_empty() const noexcept { return pieces_.empty(); }
  /// Of this process's own: what members of other nodes reach a range by, which may lie in several pieces that are one
  /// behind the other. Null: it has not been attached.
  const Piece* find_lent(std::uint64_t address, std::uint64_t bytes) const noexcept;

  /// Where a range in a member's memory is, which it has attached in one piece. False: it has not.
  bool find(const Member& member, std::uint64_t address, std::uint64_t bytes, Spot* spot) noexcept;

 private:
  bool show(Line& line) noexcept;
  void lend_row(std::size_t piece) noexcept;
  void look(const Member& member) noexcept;
  bool is_one_place(const Member& member, std::ptrdiff_t at, std::uint64_t offset, std::uint64_t bytes) const noexcept;
  bool find_here(const Member& member, std::uint64_t address, std::uint64_t bytes, Spot* spot) const noexcept;

  std::vector<Piece> pieces_;  // by address
  std::vector<Piece> rows_;    // of several pieces, lent as one
  // Of rows that are none any more: others may be at pieces of theirs that are still attached.
  std::vector<transport::RegionKey> former_;
  std::uint32_t version_ = 0;  // of another member's, that they are of
  Piece* shown_ = nullptr;     // this process's own
  std::size_t room_ = 0;
};

}  // namespace weft::win
