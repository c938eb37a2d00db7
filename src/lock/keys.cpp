#include "lock/keys.hpp"

#include <array>

namespace weft::lock {
namespace {

using transport::Op;
using transport::Pending;
using transport::Type;

using Bucket = std::array<std::uint64_t, LockKeys::kBucket>;

transport::Remote place_of(const LockKeys& keys, std::size_t entry) noexcept {
  transport::Remote at = keys.first;
  at.offset += entry * sizeof(std::uint64_t);
  return at;
}

void look_at(const LockMeans& means, const LockKeys& keys, std::size_t bucket, Bucket& seen) noexcept {
  if (keys.here == nullptr) {
    Pending pending;
    means.network.get(seen.data(), place_of(keys, bucket), sizeof seen, pending);
    means.complete(pending);
    return;
  }
  for (std::size_t k = 0; k < LockKeys::kBucket; ++k) {
    // Acquire: whose key it is may go on to the lock's words.
    seen[k] = keys.here[bucket + k].load(std::memory_order_acquire);
  }
}

// Returns the key that was there before: 0 when it is this one now.
std::uint64_t take(const LockMeans& means, const LockKeys& keys, std::size_t entry, std::uint64_t key) noexcept {
  std::uint64_t before = 0;
  Pending pending;
  means.network.atomic(place_of(keys, entry), {Op::kCompareSwap, Type::k64, key, 0}, &before, pending);
  means.complete(pending);
  return before;
}

}  // namespace

LockFound find_lock_entry(const LockMeans& means, const LockKeys& keys, std::uint64_t lock) noexcept {
  const bool is_far = keys.here == nullptr;
  const std::size_t at = hash_of_lock(lock) & (keys.entries - 1);
  const std::size_t bucket = at & ~(LockKeys::kBucket - 1);
  // From elsewhere the first one is taken, or found, without a look.
  const std::size_t looks_at = is_far ? 1 : 0;
  Bucket seen{};
  for (std::size_t k = 0; k < LockKeys::kBucket; ++k) {
    if (k == looks_at) {
      look_at(means, keys, bucket, seen);
    }
    const std::size_t entry = bucket + (at + k) % LockKeys::kBucket;
    std::uint64_t key = seen[entry - bucket];
    if (key == 0) {
      key = take(means, keys, entry, LockKey::of(lock, is_far));
    }
    if (key == 0) {
      return {entry, is_far};
    }
    if (LockKey::lock(key) == lock) {
      return {entry, LockKey::network_first(key)};
    }
  }
  return {};
}

}  // namespace weft::lock
