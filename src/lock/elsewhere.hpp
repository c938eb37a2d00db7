// A lock for readers and writers (readers.hpp), taken on behalf of PEs of other nodes by whichever thread of its home
// gets their messages. That thread never waits: it takes a place in the queue, and looks again when somebody may have
// made it that place's turn. `elsewhere`, a word beside the lock, counts such places, so that processes of the node
// know whom to call.
#pragma once

#include <atomic>
#include <cstdint>

#include "lock/late.hpp"
#include "lock/readers.hpp"

namespace weft::lock {

/// Between counting somebody here and the look that follows. Who leaves has a fence of the same kind between changing
/// the queue and looking at the count (ring_queue(); on x86 the change is one by itself). Whichever fence comes first,
/// the look behind the other one sees what was done before it: that somebody waits, or that the queue has changed. That
/// all of these were seq_cst would not be enough: the look at the queue is only an acquire.
inline void counted_before_looking() noexcept { std::atomic_thread_fence(std::memory_order_seq_cst); }

/// As take_or_queue(): where it is not inside, let_in_from_elsewhere() is to be called now, and until it is.
inline Turn queue_from_elsewhere(SharedLock& lock, std::atomic<std::uint32_t>& elsewhere, Mode mode, int pe) noexcept {
  // Relaxed: the fence below orders it.
  elsewhere.fetch_add(1, std::memory_order_relaxed);
  const Turn turn = take_or_queue(lock, mode, pe);
  if (turn.is_inside) {
    elsewhere.fetch_sub(1, std::memory_order_relaxed);  // who sees the old count calls for nothing
  } else {
    counted_before_looking();
  }
  return turn;
}

/// True: it is inside, and will leave as all do. Not to be called again then: a writer inside leaves no mark that would
/// tell it from one whose turn it is.
inline bool let_in_from_elsewhere(SharedLock& lock, std::atomic<std::uint32_t>& elsewhere, Mode mode,
                                  std::uint32_t position) noexcept {
  // Acquire: what those did who were inside before.
  if (queue::admit_of(lock).load(std::memory_order_acquire) != position ||
      (mode == Mode::kExclusive && lock.done.load(std::memory_order_acquire) != position)) {
    return false;
  }
  if (mode == Mode::kShared) {
    admit_next(lock);
  }
  elsewhere.fetch_sub(1, std::memory_order_relaxed);  // as above
  return true;
}

/// The same of late readers (late.hpp).
inline LateTurn ask_late_from_elsewhere(SharedLock& lock, std::atomic<std::uint32_t>& elsewhere) noexcept {
  elsewhere.fetch_add(1, std::memory_order_relaxed);  // as in queue_from_elsewhere()
  const LateTurn turn = take_late_or_ask(lock);
  if (turn.is_inside) {
    elsewhere.fetch_sub(1, std::memory_order_relaxed);
  } else {
    counted_before_looking();
  }
  return turn;
}
inline bool let_in_late_from_elsewhere(SharedLock& lock, std::atomic<std::uint32_t>& elsewhere, std::uint32_t round,
                                       bool may_pass) noexcept {
  const bool is_in = is_in_late(lock, round, may_pass);
  if (is_in) {
    elsewhere.fetch_sub(1, std::memory_order_relaxed);
  }
  return is_in;
}

/// Behind a change of the queue, by leave() or as a reader that had waited: the home is to look, or its agent.
inline bool somebody_waits_elsewhere(const std::atomic<std::uint32_t>& elsewhere) noexcept {
  // Relaxed: the fence stands between that change and this; see counted_before_looking().
  return elsewhere.load(std::memory_order_relaxed) != 0;
}

}  // namespace weft::lock
