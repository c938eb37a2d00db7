// Readers whose lock counts from earlier on (readers.hpp): who has begun an epoch with all members of a window takes
// each one's lock when it is used first, and holds others meanwhile, in whatever order. Those who are inside here may
// wait for what it does next. So it must not stand behind a writer that waits for these: it goes in beside them.
//
// A late reader takes no ticket. `done` counts who has left of all before `admit`. Where it is behind `admit` readers
// are inside, and one more of them is one less that has left. While a writer is inside, late readers are counted in
// `late`, and it lets in all of them when it leaves, as readers that have still to leave. So writers that come one
// behind the other do not keep them out.
#pragma once

#include <atomic>
#include <cstdint>

#include "lock/readers.hpp"

namespace weft::lock {

/// How long a late reader stands back for a writer that waits for those inside: or programs that begin epochs all the
/// time would leave it no gap. What could wait for the late reader itself waits no longer than that.
class Politeness {
 public:
  explicit Politeness(std::uint64_t now_ns) noexcept : begin_ns_(now_ns) {}
  bool is_over(std::uint64_t now_ns) const noexcept { return now_ns - begin_ns_ >= kNs; }

 private:
  static constexpr std::uint64_t kNs = 1'000'000;
  std::uint64_t begin_ns_;
};

/// A late reader is inside, or in when the round is another one.
struct LateTurn {
  std::uint32_t round = 0;
  bool is_inside = false;
};

/// Goes in where nobody waits or, if it may pass who does, beside readers that are inside.
inline bool go_in_late(SharedLock& lock, bool may_pass) noexcept {
  // Acquire, all of them: what the last writer did. Its news are in `admit`, or readers have passed them on in `done`.
  std::uint64_t seen = lock.queue.load(std::memory_order_acquire);
  while (queue::is_empty(seen)) {
    if (lock.queue.compare_exchange_weak(seen, queue::pass_through(seen), std::memory_order_acquire,
                                         std::memory_order_acquire)) {
      return true;
    }
  }
  std::uint32_t done = may_pass ? lock.done.load(std::memory_order_acquire) : queue::admit(seen);
  // `admit` is not less by now. So when the comparison finds `done` there, readers are inside and no writer is.
  while (static_cast<std::int32_t>(queue::admit(seen) - done) > 0) {
    // Release: who goes in beside this one finds what it has found.
    if (lock.done.compare_exchange_weak(done, done - 1, std::memory_order_acq_rel, std::memory_order_acquire)) {
      return true;
    }
  }
  return false;
}

/// Takes the lock, or has to be let in: then is_in_late() is to be called until it is.
inline LateTurn take_late_or_ask(SharedLock& lock) noexcept {
  if (go_in_late(lock, false)) {
    return {0, true};
  }
  // Relaxed: a writer that leaves and does not see it yet is seen to have left, as any change of the queue is.
  return {late::round(lock.late.fetch_add(1, std::memory_order_relaxed)), false};
}

/// A late reader that waits: a writer has let it in, or it goes in now. Not to be called again when it is inside.
inline bool is_in_late(SharedLock& lock, std::uint32_t round, bool may_pass) noexcept {
  // Acquire: what that writer did.
  if (late::round(lock.late.load(std::memory_order_acquire)) != round) {
    return true;
  }
  if (!go_in_late(lock, may_pass)) {
    return false;
  }
  // Relaxed: it is inside, and only a writer's count is to be right.
  std::uint64_t seen = lock.late.load(std::memory_order_relaxed);
  while (late::round(seen) == round) {
    if (lock.late.compare_exchange_weak(seen, seen - 1, std::memory_order_relaxed)) {
      return true;
    }
  }
  leave(lock, Mode::kShared);  // it was let in too: once is enough
  return true;
}

/// Until it is. may_pass: whether it is time to go in beside readers.
template <class Note, class MayPass>
void await_late(SharedLock& lock, std::uint32_t round, const sync::Patience& patience, const Note& note,
                MayPass&& may_pass) noexcept {
  sync::BellFor bell{lock.rings, lock.sleepers, queue::kLate};
  sync::wait_uncrowded(patience, bell, nullptr, note, [&]() noexcept { return is_in_late(lock, round, may_pass()); });
}

}  // namespace weft::lock
