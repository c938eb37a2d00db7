// Which entry of its home's table a lock that migrates has (lock/table.hpp).
//
// An entry belongs to the first lock that takes it and to no other one until the heap goes. Entries are taken through
// the network, whoever takes them, and come in buckets. A lock's entry is one of its bucket: the first, from a place of
// its own on and round, that is its own or nobody's. So all find the same one.
//
//   key: the lock, 63 bits | who took the entry is on another node, and the lock begins with the network
//
// A lock begins where it is used first because whoever uses it once would else pay for a migration. On the home's node
// finding an entry takes no operation on the network, and taking one takes one; elsewhere it is one, unless other locks
// have the same place.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "lock/migrating.hpp"

namespace weft::lock {

struct LockKey {
  static constexpr std::uint64_t of(std::uint64_t lock, bool network_first) noexcept {
    return lock << 1 | (network_first ? 1U : 0U);
  }
  static constexpr std::uint64_t lock(std::uint64_t key) noexcept { return key >> 1; }
  static constexpr bool network_first(std::uint64_t key) noexcept { return (key & 1) != 0; }
};

/// The keys of a home PE.
struct LockKeys {
  static constexpr std::size_t kBucket = 8;

  std::size_t entries = 0;  // a power of two, and whole buckets
  transport::Remote first;
  const std::atomic<std::uint64_t>* here = nullptr;  // null on another node
};

/// The lock's entry, and its key; kNone for a lock that has no room. `lock` is not 0.
struct LockFound {
  static constexpr std::size_t kNone = SIZE_MAX;
  std::size_t entry = kNone;
  bool network_first = false;
};
LockFound find_lock_entry(const LockMeans& means, const LockKeys& keys, std::uint64_t lock) noexcept;

/// Of Knuth's multiplicative kind: words of one array are to spread.
constexpr std::size_t hash_of_lock(std::uint64_t lock) noexcept {
  return static_cast<std::size_t>((lock * 0x9e3779b97f4a7c15U) >> 32);
}

}  // namespace weft::lock
