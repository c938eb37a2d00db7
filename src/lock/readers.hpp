// A lock for one who changes something or for many who only look at it, first come, first served for both: the words,
// and what needs nothing but them. All of it is half a cache line of memory that several PEs have mapped; zero is free.
//
// Who comes takes a ticket, which is its position in one queue. `admit` is the position that may go in next. A reader
// goes in when it is admitted, and admits the next one; a writer goes in when it is admitted and all before it have
// left, and admits the next one when it leaves. So readers overlap, nobody is passed, and nobody but who is admitted
// changes `admit`.
//
// `done` counts who has left. A writer that finds nobody in the way counts itself already when it goes in, for until it
// leaves nobody looks: `done` is one beyond `admit` then, and `writer` says who is inside. One that has waited says
// nothing when it goes in: who was before it may be taking its next ticket by then, and the line would have to come
// back once more in each turn (record 0177).
//
// A reader that finds nobody waiting takes its ticket and admits the next in one comparison: nobody is passed, as there
// is nobody to pass, and nobody sleeps who would have to be woken. Else its ticket is an addition like everybody's, so
// that none is put off by others. Where only readers wait, whoever of them runs lets in all at once: a reader that has
// no processor does not hold up those behind it (record 0142).
#pragma once

#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "lock/mode.hpp"
#include "sync/uncrowded.hpp"

namespace weft::lock {

struct alignas(32) SharedLock {
  std::atomic<std::uint64_t> queue;    // tickets that were taken, 32 bits | admit, 32 bits
  std::atomic<std::uint32_t> done;     // positions that are done with
  std::atomic<std::uint16_t> writer;   // for people: the PE that last found nobody in the way to change, and one more
  std::atomic<std::uint16_t> readers;  // that wait and may be let in by others; see take_off_readers()
  std::atomic<std::uint32_t> rings;    // the bell of who sleeps here
  std::atomic<std::uint32_t> sleepers;
  std::atomic<std::uint64_t> late;  // rounds, 32 bits | readers that wait to be let in by a writer, 32 bits (late.hpp)
};
static_assert(sizeof(SharedLock) == 32 && std::is_standard_layout_v<SharedLock>);
static_assert(offsetof(SharedLock, done) == 8 && offsetof(SharedLock, sleepers) == 20);
static_assert(std::atomic<std::uint64_t>::is_always_lock_free);

namespace queue {
inline constexpr std::uint64_t kOneTicket = std::uint64_t{1} << 32;
constexpr std::uint32_t tickets(std::uint64_t word) noexcept { return static_cast<std::uint32_t>(word >> 32); }
constexpr std::uint32_t admit(std::uint64_t word) noexcept { return static_cast<std::uint32_t>(word); }
constexpr bool is_empty(std::uint64_t word) noexcept { return tickets(word) == admit(word); }
/// The position is among those that are not admitted. Who has another one is in, unless 2^32 others have passed since
/// and have come round to it (record 0142).
constexpr bool waits(std::uint64_t word, std::uint32_t position) noexcept {
  return position - admit(word) < tickets(word) - admit(word);
}
/// One more ticket, and the one after it admitted; neither number carries into the other.
constexpr std::uint64_t pass_through(std::uint64_t word) noexcept {
  return (std::uint64_t{tickets(word) + 1} << 32) | std::uint32_t{admit(word) + 1};
}
/// All who have tickets admitted.
constexpr std::uint64_t all_admitted(std::uint64_t word) noexcept {
  return (std::uint64_t{tickets(word)} << 32) | tickets(word);
}
/// The low half of the word: it alone is changed by who is admitted, while others take tickets.
inline std::atomic<std::uint32_t>& admit_of(SharedLock& lock) noexcept {
  static_assert(offsetof(SharedLock, queue) == 0 && std::endian::native == std::endian::little);
  return *static_cast<std::atomic<std::uint32_t>*>(static_cast<void*>(&lock));
}

// Sleepers are woken by their own position, so that one is and not the herd, and writers also by readers that leave.
inline constexpr std::uint32_t kWriters = std::uint32_t{1} << 31;
inline constexpr std::uint32_t kLate = std::uint32_t{1} << 30;  // and late readers, whenever somebody is admitted
constexpr std::uint32_t bit_of(std::uint32_t position) noexcept { return std::uint32_t{1} << (position % 30); }
/// Of count positions from the first on. As many as there are bits have any: where the numbers wrap, bits repeat early.
constexpr std::uint32_t bits_of(std::uint32_t first, std::uint32_t count) noexcept {
  if (count >= 30) {
    return kLate - 1;
  }
  std::uint32_t bits = 0;
  for (std::uint32_t k = 0; k < count; ++k) {
    bits |= bit_of(first + k);
  }
  return bits;
}
}  // namespace queue

namespace late {
constexpr std::uint32_t round(std::uint64_t word) noexcept { return static_cast<std::uint32_t>(word >> 32); }
constexpr std::uint32_t waiting(std::uint64_t word) noexcept { return static_cast<std::uint32_t>(word); }
/// The next round, for which nobody waits yet.
constexpr std::uint64_t after(std::uint64_t word) noexcept { return std::uint64_t{round(word) + 1} << 32; }
}  // namespace late

/// Who holds a lock, for people: looked at without stopping anybody, so the numbers may be of different times.
struct Holding {
  int writer = -1;            // the PE that changes something; -1: none, or one that has waited for that
  std::uint32_t readers = 0;  // inside; at most `most`
  std::uint32_t waiting = 0;  // likewise: who has a place in the queue, but for the writer
};
/// PEs are 0 to n_pes - 1, and each has at most so many threads that `most` is more than all.
Holding who_holds(const SharedLock& lock, int n_pes, std::uint32_t most) noexcept;

/// A place in the queue, and whether it is inside already.
struct Turn {
  std::uint32_t position = 0;
  bool is_inside = false;
};

/// Behind the acquisition of a writer that has not waited: me is a PE, for people.
inline void enter_to_change(SharedLock& lock, std::uint32_t position, int me) noexcept {
  // Relaxed, both: only people go by them.
  lock.done.store(position + 1, std::memory_order_relaxed);
  lock.writer.store(static_cast<std::uint16_t>(me + 1), std::memory_order_relaxed);
}

/// Takes the lock, where nobody is in the way, or a place in its queue: then await_turn() is to follow.
inline Turn take_or_queue(SharedLock& lock, Mode mode, int me) noexcept {
  if (mode == Mode::kShared) {
    std::uint64_t seen = lock.queue.load(std::memory_order_relaxed);
    // Acquire: what the last writer did. A failure reads nothing that is used.
    if (queue::is_empty(seen) &&
        lock.queue.compare_exchange_strong(seen, queue::pass_through(seen), std::memory_order_acquire,
                                           std::memory_order_relaxed)) {
      return {queue::tickets(seen), true};
    }
  }
  // Acquire, here and below: what those did who have left.
  const std::uint64_t before = lock.queue.fetch_add(queue::kOneTicket, std::memory_order_acquire);
  const std::uint32_t position = queue::tickets(before);
  if (mode == Mode::kExclusive && queue::admit(before) == position &&
      lock.done.load(std::memory_order_acquire) == position) [[likely]] {
    enter_to_change(lock, position, me);
    return {position, true};
  }
  return {position, false};
}

/// Wakes sleepers with one of the bits. The caller has made its news visible by a seq_cst read-modify-write.
void wake_in_queue(SharedLock& lock, std::uint32_t bits) noexcept;
inline void ring_queue(SharedLock& lock, std::uint32_t bits) noexcept {
#if !defined(__x86_64__) && !defined(__i386__)
  // As in sync::ring(): elsewhere the look might overtake the change.
  std::atomic_thread_fence(std::memory_order_seq_cst);
#endif
  if (lock.sleepers.load(std::memory_order_relaxed) != 0) [[unlikely]] {
    wake_in_queue(lock, bits);
  }
}

/// What who is admitted does to admit the next one. seq_cst, release: what it did is seen by the next one, and either
/// this finds who is about to sleep, or that one finds itself admitted.
inline void admit_next(SharedLock& lock) noexcept {
  const std::uint32_t before = queue::admit_of(lock).fetch_add(1, std::memory_order_seq_cst);
  ring_queue(lock, queue::bit_of(before + 1) | queue::kLate);
}

/// Takes off all readers that are counted, if they are n, for who is about to let in n. As they are taken off before
/// they are let in, those counted are never more than wait. They may be below zero for a while: who is taken off here
/// may take off itself to go in. What is taken off here was counted and each takes off itself once, so they are not
/// below zero by more than twice those who wait, and in 16 bits that is no number of who waits (fewer than 2^14: a node
/// has 4096 PEs at most). If more than one took off the same readers there were no such bound.
inline bool take_off_readers(SharedLock& lock, std::uint32_t n) noexcept {
  // Relaxed, all: the comparison of the queue behind it releases it.
  auto counted = lock.readers.load(std::memory_order_relaxed);
  return counted == n &&
         lock.readers.compare_exchange_strong(counted, 0, std::memory_order_relaxed, std::memory_order_relaxed);
}

/// A reader that has come to wait, and is counted in `readers`, lets in all who wait, and so itself, if they are
/// readers. False: somebody else is among them, or the queue has changed meanwhile.
inline bool let_in_readers(SharedLock& lock) noexcept {
  // Acquire: what the last writer did, and below how many readers are counted for what is seen here.
  std::uint64_t seen = lock.queue.load(std::memory_order_acquire);
  const std::uint32_t waiting = queue::tickets(seen) - queue::admit(seen);
  // A number that is too small lets in nobody. For a queue that is the same when the comparison is made it is never too
  // large, as who lets in readers takes them off before.
  if (waiting == 0 || !take_off_readers(lock, waiting)) {
    return false;
  }
  // seq_cst, release: as in admit_next(). A failure reads nothing that is used.
  if (lock.queue.compare_exchange_strong(seen, queue::all_admitted(seen), std::memory_order_seq_cst,
                                         std::memory_order_relaxed)) {
    ring_queue(lock, queue::bits_of(queue::admit(seen), waiting) | queue::kLate);
    return true;
  }
  lock.readers.fetch_add(static_cast<std::uint16_t>(waiting), std::memory_order_relaxed);  // relaxed: as above
  return false;
}

/// A reader that is counted goes in: another one has let it in, or it is its turn. False: neither.
inline bool go_in_to_read(SharedLock& lock, std::uint32_t position) noexcept {
  // Acquire: what the last writer did.
  const std::uint64_t seen = lock.queue.load(std::memory_order_acquire);
  if (!queue::waits(seen, position)) {
    return true;
  }
  if (queue::admit(seen) != position) {
    return false;
  }
  // Relaxed: the comparison behind it releases it.
  lock.readers.fetch_sub(1, std::memory_order_relaxed);
  // seq_cst, release: as in admit_next(). A failure: another one has let it in, which took it off too.
  std::uint32_t mine = position;
  if (queue::admit_of(lock).compare_exchange_strong(mine, position + 1, std::memory_order_seq_cst,
                                                    std::memory_order_relaxed)) {
    ring_queue(lock, queue::bit_of(position + 1) | queue::kLate);
  } else {
    lock.readers.fetch_add(1, std::memory_order_relaxed);
  }
  return true;
}

/// What a writer that leaves does first: late readers that wait are inside when it admits the next one.
inline void let_in_late(SharedLock& lock) noexcept {
  std::uint64_t seen = lock.late.load(std::memory_order_relaxed);
  while (late::waiting(seen) != 0) [[unlikely]] {
      // Release: what it did is seen by those that it lets in.
      if (lock.late.compare_exchange_weak(seen, late::after(seen), std::memory_order_release,
                                          std::memory_order_relaxed)) {
        // Release: and by who goes in beside them.
        lock.done.fetch_sub(late::waiting(seen), std::memory_order_release);
        return;
      }
    }
}

/// Until the place is inside. Note: as sync::WaitNote.
template <class Note>
void await_turn(SharedLock& lock, Mode mode, std::uint32_t position, const sync::Patience& patience,
                const Note& note) noexcept {
  // Acquire: see take_or_queue(). Who is admitted stays so, hence two looks need not be one.
  const auto is_admitted = [&]() noexcept { return queue::admit_of(lock).load(std::memory_order_acquire) == position; };
  if (mode == Mode::kShared) {
    if (is_admitted()) {
      admit_next(lock);  // it is not counted, so nobody else does
      return;
    }
    // Relaxed: who sees it too late leaves this one to wait.
    lock.readers.fetch_add(1, std::memory_order_relaxed);
    if (!let_in_readers(lock) && !go_in_to_read(lock, position)) {
      sync::BellFor bell{lock.rings, lock.sleepers, queue::bit_of(position)};
      sync::wait_uncrowded(patience, bell, nullptr, note, [&]() noexcept { return go_in_to_read(lock, position); });
    }
    return;
  }
  const auto is_my_turn = [&]() noexcept {
    return is_admitted() && lock.done.load(std::memory_order_acquire) == position;
  };
  if (!is_my_turn()) {
    sync::BellFor bell{lock.rings, lock.sleepers, queue::bit_of(position) | queue::kWriters};
    sync::wait_uncrowded(patience, bell, nullptr, note, is_my_turn);
  }
}

/// True: taken. False: somebody is inside with whom this one cannot be, or waits.
inline bool try_to_take(SharedLock& lock, Mode mode, int me) noexcept {
  const bool changes = mode == Mode::kExclusive;
  // Acquire, also where it fails: the next look at `done` is not to be older.
  std::uint64_t seen = lock.queue.load(std::memory_order_acquire);
  for (;;) {
    const std::uint32_t position = queue::tickets(seen);
    // Once nobody is inside, somebody else goes in only by changing the queue, and then the comparison fails.
    if (!queue::is_empty(seen) || (changes && lock.done.load(std::memory_order_acquire) != position)) {
      return false;
    }
    if (lock.queue.compare_exchange_weak(seen, changes ? seen + queue::kOneTicket : queue::pass_through(seen),
                                         std::memory_order_acquire, std::memory_order_acquire)) {
      if (changes) {
        enter_to_change(lock, position, me);
      }
      return true;
    }
  }
}

inline void leave(SharedLock& lock, Mode mode) noexcept {
  if (mode == Mode::kShared) {
    // seq_cst, release: as in admit_next(); a writer waits for it.
    lock.done.fetch_add(1, std::memory_order_seq_cst);
    ring_queue(lock, queue::kWriters);
  } else {
    // One that has waited counts itself now. Relaxed, all: nobody else changes them while a writer is inside, and who
    // is let in or admitted below finds this.
    const std::uint32_t mine = queue::admit_of(lock).load(std::memory_order_relaxed);
    if (lock.done.load(std::memory_order_relaxed) == mine) {
      lock.done.store(mine + 1, std::memory_order_relaxed);
    }
    let_in_late(lock);
    admit_next(lock);
  }
}

}  // namespace weft::lock
