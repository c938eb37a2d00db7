#include "lock/agent.hpp"

#include <algorithm>
#include <new>

#include "lock/keys.hpp"

namespace weft::lock {
namespace {

using transport::Op;
using transport::Type;

// Positions wrap; one is before another when it is less than half of all away.
bool has_reached(std::uint32_t admitted, std::uint32_t position) noexcept {
  return static_cast<std::int32_t>(admitted - position) >= 0;
}

// Relaxed: what is missed now is found the next time.
std::uint32_t admitted_in(const LockWords& words) noexcept {
  return admit::position(words.admitted.load(std::memory_order_relaxed));
}

}  // namespace

bool LockAgent::open(transport::Transport& network, const transport::Remote& first, LockHead& head,
                     const std::atomic<std::uint64_t>* keys, LockWords* words, std::size_t count,
                     const LockPolicy& policy) noexcept {
  locks_.reset(new (std::nothrow) Lock[count]);
  away_.reset(new (std::nothrow) std::uint32_t[count]);
  if (!locks_ || !away_) {
    return false;
  }
  std::for_each_n(locks_.get(), count, [&policy](Lock& lock) { lock.policy = policy; });
  network_ = &network;
  first_ = first;
  keys_ = keys;
  words_ = words;
  count_ = count;
  n_away_ = 0;
  for (auto* counter : {&seen_asks_, &seen_found_, &seen_moves_, &openings_, &closings_}) {
    counter->store(0, std::memory_order_relaxed);
  }
  away_now_.store(0, std::memory_order_relaxed);
  head_ = &head;
  return true;
}

// Relaxed, as hints: whoever has work for the agent makes the network bring news of it, and then it looks.
bool LockAgent::has_work() const noexcept {
  return under_way_.load(std::memory_order_relaxed) != 0 ||
         head_->asks.load(std::memory_order_relaxed) != seen_asks_.load(std::memory_order_relaxed) ||
         head_->found.load(std::memory_order_relaxed) != seen_found_.load(std::memory_order_relaxed) ||
         head_->moves.load(std::memory_order_relaxed) != seen_moves_.load(std::memory_order_relaxed) ||
         (away_now_.load(std::memory_order_relaxed) != 0 && head_->bell.sleepers.load(std::memory_order_relaxed) != 0);
}

void LockAgent::serve_slowly() noexcept {
  if (busy_.test_and_set(std::memory_order_acquire)) {
    return;
  }
  // Acquire: what was asked for is found.
  const std::uint64_t asks = head_->asks.load(std::memory_order_acquire);
  const std::uint64_t found = head_->found.load(std::memory_order_acquire);
  if (asks != seen_asks_.load(std::memory_order_relaxed) || found != seen_found_.load(std::memory_order_relaxed)) {
    seen_asks_.store(asks, std::memory_order_relaxed);
    seen_found_.store(found, std::memory_order_relaxed);
    look_at_all();
  }
  seen_moves_.store(head_->moves.load(std::memory_order_relaxed), std::memory_order_relaxed);
  look_at_those_by_network();
  away_now_.store(static_cast<std::uint32_t>(n_away_), std::memory_order_relaxed);
  busy_.clear(std::memory_order_release);
}

void LockAgent::look_at_all() noexcept {
  for (std::size_t at = 0; at < count_; ++at) {
    if (locks_[at].stage == Stage::kUnknown) {
      take_charge(at);
    }
    if (locks_[at].stage == Stage::kProcessors && is_asked_for(at)) {
      begin_opening(at);
    }
  }
}

// A lock that began with the network did so without the agent, whom nobody needs before its own node uses the lock.
void LockAgent::take_charge(std::size_t at) noexcept {
  const std::uint64_t key = keys_[at].load(std::memory_order_acquire);
  if (key == 0) {
    return;
  }
  Lock& lock = locks_[at];
  if (!LockKey::network_first(key)) {
    lock.stage = Stage::kProcessors;
    return;
  }
  lock.stage = Stage::kNetwork;
  lock.begins_at = lock.last_shifted = admitted_in(words_[at]);
  watch(at);
}

void LockAgent::watch(std::size_t at) noexcept {
  if (!locks_[at].is_away) {
    locks_[at].is_away = true;
    away_[n_away_++] = static_cast<std::uint32_t>(at);
  }
}

// Of a lock that has returned: somebody whom the network gave a position has still to go in, or a reader may be inside.
bool LockAgent::is_used_from_elsewhere(std::size_t at) const noexcept {
  const Lock& lock = locks_[at];
  const std::uint32_t done =
      words_[at].near_done.load(std::memory_order_relaxed) + static_cast<std::uint32_t>(lock.seen_done);
  return !has_reached(admit::position(lock.seen_admitted), lock.begins_at) ||
         done != admit::readers(lock.seen_admitted);
}

void LockAgent::look_at_those_by_network() noexcept {
  bool has_moved = false;
  for (std::size_t k = 0; k < n_away_;) {
    const std::size_t at = away_[k];
    Lock& lock = locks_[at];
    // Who has given the lock up elsewhere wakes nobody here.
    const std::uint64_t admitted = words_[at].admitted.load(std::memory_order_relaxed);
    const std::uint64_t done = words_[at].far_done.load(std::memory_order_relaxed);
    has_moved = has_moved || admitted != lock.seen_admitted || done != lock.seen_done;
    lock.seen_admitted = admitted;
    lock.seen_done = done;
    go_on(at);
    if (lock.stage == Stage::kProcessors && !is_used_from_elsewhere(at)) {
      lock.is_away = false;
      away_[k] = away_[--n_away_];
    } else {
      ++k;
    }
  }
  if (has_moved) {
    std::atomic_thread_fence(std::memory_order_seq_cst);
    sync::ring(head_->bell);
  }
}

void LockAgent::go_on(std::size_t at) noexcept {
  Lock& lock = locks_[at];
  if (lock.stage == Stage::kOpening && lock.pending.done()) {
    end_opening(at);
  }
  if (lock.stage == Stage::kNetwork) {
    consider_closing(at);
  }
  if (lock.stage == Stage::kClosing && lock.pending.done()) {
    end_closing(at);
  }
}

bool LockAgent::is_asked_for(std::size_t at) const noexcept {
  const Lock& lock = locks_[at];
  return ticket::number(words_[at].far.load(std::memory_order_acquire)) != lock.far_closed_at ||
         words_[at].wanted.load(std::memory_order_acquire) == lock.phase + 1;
}

void LockAgent::change_phase(std::size_t at, std::uint64_t by) noexcept {
  Lock& lock = locks_[at];
  transport::Remote place = first_;
  place.offset += at * sizeof(LockWords) + offsetof(LockWords, far);
  under_way_.fetch_add(1, std::memory_order_relaxed);
  network_->atomic(place, {Op::kAdd, Type::k64, by}, &lock.before, lock.pending);
}

// Tickets of the processors' counter from here on are void; those that were given out have the positions up to `given`.
void LockAgent::begin_opening(std::size_t at) noexcept {
  Lock& lock = locks_[at];
  const std::uint32_t given = ticket::number(words_[at].near.fetch_add(1, std::memory_order_acq_rel));
  lock.begins_at = given;
  lock.stage = Stage::kOpening;
  watch(at);
  change_phase(at, ticket::counter(given - lock.far_closed_at, 1));
}

void LockAgent::end_opening(std::size_t at) noexcept {
  Lock& lock = locks_[at];
  LockWords& words = words_[at];
  ++lock.phase;
  lock.last_shifted = lock.begins_at + (ticket::number(lock.before) - lock.far_closed_at);
  lock.near_at_opening = lock.seen_near = words.near_by_far.load(std::memory_order_relaxed);
  lock.seen_far = 0;
  // Release: who reads it goes on to the rest.
  words.shift.store(ticket::counter(lock.begins_at - lock.far_closed_at, lock.phase), std::memory_order_release);
  lock.stage = Stage::kNetwork;
  under_way_.fetch_sub(1, std::memory_order_release);
  openings_.fetch_add(1, std::memory_order_relaxed);
  std::atomic_thread_fence(std::memory_order_seq_cst);
  sync::ring(head_->bell);
}

void LockAgent::consider_closing(std::size_t at) noexcept {
  Lock& lock = locks_[at];
  const LockWords& words = words_[at];
  const std::uint32_t near = words.near_by_far.load(std::memory_order_relaxed);
  const std::uint32_t all = ticket::number(words.far.load(std::memory_order_relaxed)) - lock.begins_at;
  // A PE of the node counts itself after it has its ticket; until then it passes for one from elsewhere, which must not
  // be counted twice.
  const std::uint32_t far = std::max(all - std::min(all, near - lock.near_at_opening), lock.seen_far);
  lock.policy.took(near - lock.seen_near, far - lock.seen_far);
  lock.seen_near = near;
  lock.seen_far = far;
  // The shift is to stay until all whom it is for have read it, which those have that had the lock.
  if (lock.policy.wants_back() && has_reached(admitted_in(words), lock.last_shifted)) {
    begin_closing(at);
  }
}

void LockAgent::begin_closing(std::size_t at) noexcept {
  locks_[at].policy.went_back();
  locks_[at].stage = Stage::kClosing;
  change_phase(at, 1);
}

void LockAgent::end_closing(std::size_t at) noexcept {
  Lock& lock = locks_[at];
  LockWords& words = words_[at];
  ++lock.phase;
  lock.begins_at = lock.far_closed_at = ticket::number(lock.before);
  // Void tickets that were taken meanwhile are forgotten.
  std::uint64_t near = words.near.load(std::memory_order_relaxed);
  while (!words.near.compare_exchange_weak(near, ticket::counter(lock.begins_at, lock.phase), std::memory_order_acq_rel,
                                           std::memory_order_relaxed)) {
  }
  lock.stage = Stage::kProcessors;
  under_way_.fetch_sub(1, std::memory_order_release);
  closings_.fetch_add(1, std::memory_order_relaxed);
  std::atomic_thread_fence(std::memory_order_seq_cst);
  sync::ring(head_->bell);
  if (is_asked_for(at)) {
    seen_asks_.store(head_->asks.load(std::memory_order_relaxed) - 1, std::memory_order_relaxed);
  }
}

}  // namespace weft::lock
