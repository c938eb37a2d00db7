// The book of some memory, the symmetric heap or a PE's own area: which byte ranges are in use. It works on offsets
// only and keeps its notes in private memory, so a stray put by a peer cannot corrupt it; and it decides by its own
// history alone, so the same calls give the same offsets on every PE.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <set>

namespace weft::memory {

class Allocator {
 public:
  /// Every block begins at a multiple of this: a cache line, enough for any type and for AVX-512 accesses, and two
  /// blocks never share a line.
  static constexpr std::uint64_t kUnit = 64;

  explicit Allocator(std::uint64_t bytes);

  /// The smallest free range that fits, the lowest among equals. alignment is a power of two. Empty when none fits.
  std::optional<std::uint64_t> allocate(std::uint64_t bytes, std::uint64_t alignment = kUnit);

  /// False when no block begins at offset.
  bool release(std::uint64_t offset);

  /// Grows or shrinks the block where it stands. False, with nothing changed, when the next block is in the way.
  bool resize(std::uint64_t offset, std::uint64_t bytes);

  /// Bytes asked for; empty when no block begins at offset.
  std::optional<std::uint64_t> size_of(std::uint64_t offset) const;

  /// The beginning of the block in whose units the offset lies, what was rounded up included; empty when there is none.
  std::optional<std::uint64_t> block_start(std::uint64_t offset) const;

  /// How large a heap with this history would have to be for such a block; 0: none can be.
  std::uint64_t bytes_that_would_do(std::uint64_t bytes, std::uint64_t alignment = kUnit) const;

  /// Which call of the program gave a block, for people.
  struct Giver {
    const void* site = nullptr;  // what it returns to
    std::uint32_t call = 0;      // job::CallNumber
  };
  /// Of the block that begins at offset.
  void sign(std::uint64_t offset, Giver giver);

  struct Found {
    std::uint64_t offset;
    std::uint64_t bytes;  // asked for
    Giver giver;
  };
  /// The block around the offset, for a thread that is not the one that allocates; empty also when that is at it just
  /// now.
  std::optional<Found> block_around(std::uint64_t offset) const;

  std::uint64_t bytes() const { return bytes_; }
  std::uint64_t in_use() const { return in_use_; }
  std::size_t blocks() const { return used_.size(); }

 private:
  struct Block {
    std::uint64_t taken;  // rounded up to whole units
    std::uint64_t asked;
    Giver giver = {};
  };

  void add_free(std::uint64_t offset, std::uint64_t bytes);
  void remove_free(std::map<std::uint64_t, std::uint64_t>::iterator range);

  // The program's calls come one after another; block_around() may come at any time.
  mutable std::mutex changing_;
  std::uint64_t bytes_;
  std::uint64_t in_use_ = 0;
  std::map<std::uint64_t, Block> used_;                             // by offset
  std::map<std::uint64_t, std::uint64_t> free_;                     // offset -> bytes, never two adjacent
  std::set<std::pair<std::uint64_t, std::uint64_t>> free_by_size_;  // (bytes, offset)
};

}  // namespace weft::memory
