// A lock of one PE's memory (lock/readers.hpp), taken by PEs of its node.
#pragma once

#include "job/node.hpp"
#include "lock/readers.hpp"

namespace weft::lock {

/// Behind take(): waits for its place in the queue. `home`: the PE whose memory the lock is for, for people.
void wait_in_queue(SharedLock& lock, Mode mode, std::uint32_t position, int home) noexcept;

/// First come, first served among all PEs of the node and their threads. Whoever holds it may not take it again.
inline void take(SharedLock& lock, Mode mode, int home) noexcept {
  const Turn turn = take_or_queue(lock, mode, job::node().me);
  if (!turn.is_inside) [[unlikely]] {
    wait_in_queue(lock, mode, turn.position, home);
  }
}
/// True: taken.
inline bool try_take(SharedLock& lock, Mode mode, int /*home*/) noexcept {
  return try_to_take(lock, mode, job::node().me);
}
/// Of the same mode as it was taken. What this PE has stored is seen by whoever takes the lock next.
inline void let_go(SharedLock& lock, Mode mode, int /*home*/) noexcept { leave(lock, mode); }

}  // namespace weft::lock
