// The memory that this PE has lent to others, and the keys that say so.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>

#include "transport/transport.hpp"

namespace weft::transport::tcp {

/// A key is the number of a slot and its generation. A slot that is used again has another generation, so an old key
/// is of nothing; and the first generation is a random number, so that a key cannot be made up by counting.
class Regions {
 public:
  static constexpr std::uint32_t kMost = 1U << 20;

  Regions() = default;
  Regions(const Regions&) = delete;
  Regions& operator=(const Regions&) = delete;

  base::Result<RegionKey> lend(const Memory& memory) noexcept;
  /// False: it is of nothing. `was`: what was lent.
  bool take_back(std::uint64_t key, Memory* was) noexcept;
  void take_back_all() noexcept;
  /// Null: the key is of nothing, or that is not in its memory.
  std::byte* place(std::uint64_t key, std::uint64_t offset, std::uint64_t bytes) const noexcept;

 private:
  static constexpr std::uint32_t kNone = UINT32_MAX;
  struct Slot {
    Memory memory;
    std::uint32_t generation = 0;
    std::uint32_t next_free = kNone;
    bool lent = false;
  };
  bool grow() noexcept;
  void free(std::uint32_t slot) noexcept;
  Slot* find(std::uint64_t key) const noexcept;

  mutable std::mutex mutex_;  // of all that follows; nothing is locked under it
  std::unique_ptr<Slot[]> slots_;
  std::uint32_t n_ = 0;
  std::uint32_t first_free_ = kNone;
};

}  // namespace weft::transport::tcp
