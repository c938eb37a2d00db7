#include "lock/migrating.hpp"

#include <algorithm>

#include "os/clock.hpp"

namespace weft::lock {
namespace {

using transport::Op;
using transport::Pending;
using transport::Type;

// How often a PE of the home node lets others spoil its comparison before it takes a ticket whatever comes.
constexpr int kAttempts = 3;

}  // namespace

// --- through the network ---------------------------------------------------------------------------------------------

std::uint64_t LockWire::take_ticket() noexcept {
  std::uint64_t before = 0;
  Pending pending;
  begin(offsetof(LockWords, far), {Op::kAdd, Type::k64, ticket::kOne}, &before, pending);
  complete(pending);
  return before;
}

bool LockWire::take_ticket_if(std::uint64_t expected) noexcept {
  std::uint64_t before = 0;
  Pending pending;
  begin(offsetof(LockWords, far), {Op::kCompareSwap, Type::k64, expected + ticket::kOne, expected}, &before, pending);
  complete(pending);
  return before == expected;
}

void LockWire::ask(Pending& pending) noexcept {
  transport::Remote at = place_.head;
  at.offset += offsetof(LockHead, asks);
  means_.network.atomic(at, {Op::kAdd, Type::k64, 1}, nullptr, pending);
}

void LockWire::want(std::uint32_t phase) noexcept {
  Pending pending;
  begin(offsetof(LockWords, wanted), {Op::kSet, Type::k64, phase}, nullptr, pending);
  complete(pending);  // no order is promised, and who is asked is to find it
  ask(pending);
  complete(pending);
}

// Both counters at rest, the same phase in both: positions given out so far. While the lock migrates somebody is
// counted as holding it: who asks has to look again, or is the holder.
bool LockWire::is_held(std::uint64_t far, std::uint64_t near, std::uint64_t admitted,
                       std::uint32_t done) const noexcept {
  const std::uint64_t open = by_network(ticket::phase(far)) ? far : near;
  return ticket::phase(far) != ticket::phase(near) || ticket::number(open) != admit::position(admitted) ||
         admit::readers(admitted) != done;
}

// --- on the home node ------------------------------------------------------------------------------------------------

template <class Done>
void NearLock::wait(const sync::WaitNote& note, Done&& done) noexcept {
  sync::wait(wire_.means().patience, head_.bell, nullptr, note, done);
}

// While the agent has closed the one counter and not yet opened the other.
void NearLock::wait_until_settled() noexcept {
  wait({}, [&] {
    return !wire_.by_network(ticket::phase(words_.near.load(std::memory_order_acquire))) ||
           wire_.by_network(ticket::phase(words_.far.load(std::memory_order_acquire)));
  });
}

void NearLock::took_by_network() noexcept {
  // Relaxed: what the policy goes by may come late.
  words_.near_by_far.fetch_add(1, std::memory_order_relaxed);
  head_.moves.fetch_add(1, std::memory_order_relaxed);
}

std::uint32_t NearLock::take_position(const sync::WaitNote& note) noexcept {
  for (int attempt = 0;;) {
    // A look first: what is added to a closed counter only costs the cache line. Acquire: with the phase comes the rest
    // of what the agent has done.
    if (!wire_.by_network(ticket::phase(words_.near.load(std::memory_order_acquire)))) {
      const std::uint64_t before = words_.near.fetch_add(ticket::kOne, std::memory_order_acquire);
      if (!wire_.by_network(ticket::phase(before))) {
        return ticket::number(before);
      }
    }
    const std::uint64_t seen = words_.far.load(std::memory_order_acquire);
    if (!wire_.by_network(ticket::phase(seen))) {
      wait_until_settled();
      continue;
    }
    if (attempt < kAttempts) {
      ++attempt;
      if (wire_.take_ticket_if(seen)) {
        took_by_network();
        return ticket::number(seen);
      }
      continue;
    }
    const std::uint64_t before = wire_.take_ticket();
    took_by_network();
    const std::uint32_t phase = ticket::phase(before);
    if (wire_.by_network(phase)) {
      return ticket::number(before);
    }
    Pending pending;
    wire_.ask(pending);
    wire_.complete(pending);
    wait(note, [&] { return ticket::phase(words_.shift.load(std::memory_order_acquire)) == phase + 1; });
    return ticket::number(before) + ticket::number(words_.shift.load(std::memory_order_acquire));
  }
}

std::uint32_t NearLock::done() const noexcept {
  // Acquire: what those did who have left.
  return words_.near_done.load(std::memory_order_acquire) +
         static_cast<std::uint32_t>(words_.far_done.load(std::memory_order_acquire));
}

bool NearLock::is_turn(Mode mode, std::uint32_t position) const noexcept {
  // Acquire: the last writer's work must be visible. Who is admitted stays so, hence the looks need not be one.
  const std::uint64_t admitted = words_.admitted.load(std::memory_order_acquire);
  return admit::position(admitted) == position && (mode == Mode::kShared || done() == admit::readers(admitted));
}

void NearLock::admit(std::uint64_t next) noexcept {
  // Release: this one's work goes to the next one. seq_cst and the fence: either this finds who is about to sleep, or
  // that one finds its position admitted.
  words_.admitted.store(next, std::memory_order_seq_cst);
  std::atomic_thread_fence(std::memory_order_seq_cst);
  sync::ring(head_.bell);
}

void NearLock::lock(Mode mode, const sync::WaitNote& note) noexcept {
  const std::uint32_t position = take_position(note);
  const auto mine = [&] { return is_turn(mode, position); };
  if (!mine()) {
    wait(note, mine);
  }
  if (mode == Mode::kShared) {
    admit(admit::after_reader(words_.admitted.load(std::memory_order_relaxed)));
  }
}

bool NearLock::try_lock(Mode mode) noexcept {
  for (;;) {
    std::uint64_t near = words_.near.load(std::memory_order_acquire);
    const std::uint64_t far = words_.far.load(std::memory_order_acquire);
    const std::uint64_t admitted = words_.admitted.load(std::memory_order_acquire);
    // Once nobody is inside, somebody else goes in only by taking a ticket, and then no comparison succeeds.
    const bool is_alone = mode == Mode::kShared || done() == admit::readers(admitted);
    const bool is_near = !wire_.by_network(ticket::phase(near));
    if (!is_near && !wire_.by_network(ticket::phase(far))) {
      wait_until_settled();
      continue;
    }
    if (!is_alone || ticket::number(is_near ? near : far) != admit::position(admitted)) {
      return false;
    }
    if (is_near ? words_.near.compare_exchange_strong(near, near + ticket::kOne, std::memory_order_acquire,
                                                      std::memory_order_relaxed)
                : wire_.take_ticket_if(far)) {
      if (!is_near) {
        took_by_network();
      }
      if (mode == Mode::kShared) {
        admit(admit::after_reader(admitted));
      }
      return true;
    }
  }
}

void NearLock::unlock(Mode mode) noexcept {
  if (mode == Mode::kExclusive) {
    admit(words_.admitted.load(std::memory_order_relaxed) + admit::kNextWriter);
    return;
  }
  // seq_cst, release: as in admit(); a writer waits for it.
  words_.near_done.fetch_add(1, std::memory_order_seq_cst);
  sync::ring(head_.bell);
}

bool NearLock::held() const noexcept {
  return wire_.is_held(words_.far.load(std::memory_order_acquire), words_.near.load(std::memory_order_acquire),
                       words_.admitted.load(std::memory_order_acquire), done());
}

// --- elsewhere -------------------------------------------------------------------------------------------------------

// All words as one operation, for they are one cache line: each is as it was at some time since the call, but not all
// at the same time.
FarLock::Look FarLock::look() noexcept {
  static_assert(offsetof(Look, far) == offsetof(LockWords, far) && offsetof(Look, near) == offsetof(LockWords, near) &&
                offsetof(Look, admitted) == offsetof(LockWords, admitted) &&
                offsetof(Look, near_done) == offsetof(LockWords, near_done) &&
                offsetof(Look, far_done) == offsetof(LockWords, far_done));
  Look seen{};
  Pending pending;
  wire_.look(&seen, sizeof seen, pending);
  wire_.complete(pending);
  return seen;
}

// Asks the agent to open the counter, and waits until it has.
std::uint32_t FarLock::shift_of(std::uint32_t phase, std::uint64_t begin) noexcept {
  Pending pending;
  wire_.ask(pending);
  wire_.complete(pending);
  for (;;) {
    // The agent takes a round trip of its own: a look at once would come too early.
    rest_from_looking(wire_.means().patience, 2, os::now_ns() - begin);
    std::uint64_t seen = 0;
    wire_.begin(offsetof(LockWords, shift), {Op::kFetch, Type::k64}, &seen, pending);
    wire_.complete(pending);
    if (ticket::phase(seen) == phase) {
      return ticket::number(seen);
    }
  }
}

bool FarLock::is_turn(Mode mode, std::uint32_t position, std::uint64_t admitted) noexcept {
  if (admit::position(admitted) != position) {
    return false;
  }
  // Who has left by which count may be seen at different times: both only grow, and no reader comes behind the
  // position.
  return mode == Mode::kShared || !wire_.has_readers() || look().done() == admit::readers(admitted);
}

// Only who is admitted writes there, so the whole word is known.
void FarLock::admit(std::uint64_t next, Pending& pending) noexcept {
  wire_.begin(offsetof(LockWords, admitted), {Op::kSet, Type::k64, next}, nullptr, pending);
}

void FarLock::lock(Mode mode, const sync::WaitNote& note, Pending& pending) noexcept {
  // Both at a time, so a free lock costs one round trip: if the position is admitted now, it was not passed before.
  std::uint64_t before = 0;
  std::uint64_t admitted = 0;
  Pending both;
  wire_.begin(offsetof(LockWords, far), {Op::kAdd, Type::k64, ticket::kOne}, &before, both);
  wire_.begin(offsetof(LockWords, admitted), {Op::kFetch, Type::k64}, &admitted, both);
  wire_.complete(both);
  std::uint32_t position = ticket::number(before);
  const bool open = wire_.by_network(ticket::phase(before));
  if (!open || !is_turn(mode, position, admitted)) {
    const int place = note.begin();
    const std::uint64_t begin = os::now_ns();
    if (!open) {
      position += shift_of(ticket::phase(before) + 1, begin);
    }
    // What was seen before the counter was opened is enough for a lock that is free; it says nothing about how long to
    // rest.
    for (bool is_news = open; !is_turn(mode, position, admitted); is_news = true) {
      if (is_news) {
        note.looked(place, os::now_ns() - begin);
        rest_from_looking(wire_.means().patience, std::max(position - admit::position(admitted), 1U),
                          os::now_ns() - begin);
      }
      wire_.begin(offsetof(LockWords, admitted), {Op::kFetch, Type::k64}, &admitted, both);
      wire_.complete(both);
    }
    note.end(place);
  }
  if (mode == Mode::kShared) {
    admit(admit::after_reader(admitted), pending);
  }
}

bool FarLock::try_lock(Mode mode, Pending& pending) noexcept {
  for (const std::uint64_t begin = os::now_ns();;) {
    const Look seen = look();
    const std::uint32_t phase = ticket::phase(seen.far);
    if (ticket::phase(seen.near) == phase) {
      const std::uint32_t done = mode == Mode::kShared ? admit::readers(seen.admitted) : seen.done();
      if (wire_.is_held(seen.far, seen.near, seen.admitted, done)) {
        return false;
      }
      if (wire_.by_network(phase)) {
        if (wire_.take_ticket_if(seen.far)) {
          if (mode == Mode::kShared) {
            admit(admit::after_reader(seen.admitted), pending);
          }
          return true;
        }
        continue;
      }
      wire_.want(phase + 1);
    }
    rest_from_looking(wire_.means().patience, 1, os::now_ns() - begin);
  }
}

void FarLock::unlock(Mode mode, Pending& pending) noexcept {
  if (mode == Mode::kExclusive) {
    wire_.begin(offsetof(LockWords, admitted), {Op::kAdd, Type::k64, admit::kNextWriter}, nullptr, pending);
  } else {
    wire_.begin(offsetof(LockWords, far_done), {Op::kAdd, Type::k64, 1}, nullptr, pending);
  }
}

bool FarLock::held() noexcept {
  const Look seen = look();
  return wire_.is_held(seen.far, seen.near, seen.admitted, seen.done());
}

}  // namespace weft::lock
