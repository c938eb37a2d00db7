// The book of the symmetric heap in safe mode: which blocks the program has, had a while ago, and where each came from.
//
//   | what the program asked for | zone |      one block of libweft.so's own book
//
// A zone is filled with a pattern that nobody may change. A block that is freed stays taken for a while, in quarantine,
// so that its memory serves nobody else and an access to it is recognised: its whole pages are closed, its other bytes
// are filled with a pattern.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "check/marks.hpp"
#include "check/report.hpp"

namespace weft::check {

struct Block {
  std::uintptr_t at = 0;
  std::size_t bytes = 0;  // what was asked for
  std::size_t room = 0;   // with the zone
  Made made{};
  Made freed{};    // in quarantine
  Pages closed{};  // in quarantine
  bool is_freed = false;

  std::uintptr_t end() const noexcept { return at + bytes; }
  bool holds(std::uintptr_t address) const noexcept { return address >= at && address < at + room; }
};

/// How many bytes of the heap a block of this size takes with its zone. Too many for any heap: SIZE_MAX.
std::size_t room_for(std::size_t bytes) noexcept;

class Blocks {
 public:
  void add(const Block& block) noexcept;
  /// Of the block that begins at the address and is not freed.
  std::optional<Block> find(const void* address) const;
  /// Of the block, freed ones included, that has the address in it or in its zone.
  std::optional<Block> around(std::uintptr_t address) const;
  /// The nearest block that is not freed and ends before the address.
  std::optional<Block> before(std::uintptr_t address) const;
  /// Without a trace, for one that moves.
  void forget(std::uintptr_t at);

  /// The block is the program's no longer.
  void put_in_quarantine(std::uintptr_t at, const Made& freed);
  std::size_t quarantined_bytes() const;
  std::size_t quarantined() const;
  /// The one that has been there longest, opened, for libweft.so to take back. Empty when there is none.
  std::optional<Block> release_oldest();

  /// Looks whether zones and freed blocks are as they were left, and reports the first that is not.
  void verify() const;
  std::vector<Block> live() const;
  /// What the program's blocks take of its heap: none shares a line with another.
  std::size_t live_bytes() const;
  /// Last finalize: everything open and allowed again, and the book empty.
  void clear();

 private:
  mutable std::mutex mutex_;
  std::map<std::uintptr_t, Block> blocks_;  // by address, freed ones included
  std::deque<std::uintptr_t> quarantine_;   // the oldest first
  std::size_t quarantined_bytes_ = 0;
};

Blocks& blocks() noexcept;

/// "the block of 80 bytes that shmem_malloc gave in main at ring.c:12".
std::string described(const Block& block);

}  // namespace weft::check
