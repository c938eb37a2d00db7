#include "lock/migrating.hpp"

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
bool LockWire::is_held(std::uint64_t far, std::uint64_t near, std::uint32_t serving) const noexcept {
  const std::uint64_t open = by_network(ticket::phase(far)) ? far : near;
  return ticket::phase(far) != ticket::phase(near) || ticket::number(open) != serving;
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

void NearLock::lock(const sync::WaitNote& note) noexcept {
  const std::uint32_t position = take_position(note);
  // Acquire: the last holder's work must be visible.
  const auto mine = [&] { return words_.serving.load(std::memory_order_acquire) == position; };
  if (!mine()) {
    wait(note, mine);
  }
}

bool NearLock::try_lock() noexcept {
  for (;;) {
    std::uint64_t near = words_.near.load(std::memory_order_acquire);
    const std::uint64_t far = words_.far.load(std::memory_order_acquire);
    const std::uint32_t serving = words_.serving.load(std::memory_order_acquire);
    if (!wire_.by_network(ticket::phase(near))) {
      if (ticket::number(near) != serving) {
        return false;
      }
      if (words_.near.compare_exchange_strong(near, near + ticket::kOne, std::memory_order_acquire,
                                              std::memory_order_relaxed)) {
        return true;
      }
    } else if (!wire_.by_network(ticket::phase(far))) {
      wait_until_settled();
    } else if (ticket::number(far) != serving) {
      return false;
    } else if (wire_.take_ticket_if(far)) {
      took_by_network();
      return true;
    }
  }
}

void NearLock::unlock() noexcept {
  // Release: this holder's work goes to the next one. seq_cst and the fence: either this finds who is about to sleep,
  // or that one finds its position served.
  words_.serving.store(words_.serving.load(std::memory_order_relaxed) + 1, std::memory_order_seq_cst);
  std::atomic_thread_fence(std::memory_order_seq_cst);
  sync::ring(head_.bell);
}

bool NearLock::held() const noexcept {
  return wire_.is_held(words_.far.load(std::memory_order_acquire), words_.near.load(std::memory_order_acquire),
                       words_.serving.load(std::memory_order_acquire));
}

// --- elsewhere -------------------------------------------------------------------------------------------------------

// All words as one operation, for they are one cache line: each is as it was at some time since the call, but not all
// at the same time.
FarLock::Look FarLock::look() noexcept {
  static_assert(offsetof(Look, far) == offsetof(LockWords, far) && offsetof(Look, near) == offsetof(LockWords, near) &&
                offsetof(Look, serving) == offsetof(LockWords, serving));
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

void FarLock::lock(const sync::WaitNote& note) noexcept {
  // Both at a time, so a free lock costs one round trip: if the position is served now, it was not passed before.
  std::uint64_t before = 0;
  std::uint32_t serving = 0;
  Pending pending;
  wire_.begin(offsetof(LockWords, far), {Op::kAdd, Type::k64, ticket::kOne}, &before, pending);
  wire_.begin(offsetof(LockWords, serving), {Op::kFetch, Type::k32}, &serving, pending);
  wire_.complete(pending);
  std::uint32_t position = ticket::number(before);
  const bool open = wire_.by_network(ticket::phase(before));
  if (open && position == serving) {
    return;
  }
  const int place = note.begin();
  const std::uint64_t begin = os::now_ns();
  if (!open) {
    position += shift_of(ticket::phase(before) + 1, begin);
  }
  // What was seen before the counter was opened is enough for a lock that is free; it says nothing about how long to
  // rest.
  for (bool is_news = open; serving != position; is_news = true) {
    if (is_news) {
      note.looked(place, os::now_ns() - begin);
      rest_from_looking(wire_.means().patience, position - serving, os::now_ns() - begin);
    }
    wire_.begin(offsetof(LockWords, serving), {Op::kFetch, Type::k32}, &serving, pending);
    wire_.complete(pending);
  }
  note.end(place);
}

bool FarLock::try_lock() noexcept {
  for (const std::uint64_t begin = os::now_ns();;) {
    const Look seen = look();
    const std::uint32_t phase = ticket::phase(seen.far);
    if (ticket::phase(seen.near) == phase) {
      if (wire_.is_held(seen.far, seen.near, seen.serving)) {
        return false;
      }
      if (wire_.by_network(phase)) {
        if (wire_.take_ticket_if(seen.far)) {
          return true;
        }
        continue;
      }
      wire_.want(phase + 1);
    }
    rest_from_looking(wire_.means().patience, 1, os::now_ns() - begin);
  }
}

void FarLock::unlock(Pending& pending) noexcept {
  wire_.begin(offsetof(LockWords, serving), {Op::kAdd, Type::k32, 1}, nullptr, pending);
}

bool FarLock::held() noexcept {
  const Look seen = look();
  return wire_.is_held(seen.far, seen.near, seen.serving);
}

}  // namespace weft::lock
