// When members may be accessed: locks and fences; the groups of start and post are in groups.cpp.
#include <algorithm>
#include <utility>

#include "job/node.hpp"
#include "job/notes.hpp"
#include "win/waits.hpp"
#include "win/window.hpp"

namespace weft::win {

using lock::Mode;

bool Window::holds_any() const noexcept {
  return std::any_of(members_.begin(), members_.end(),
                     [](const Member& each) { return each.holds != Holds::kNothing; });
}

// The number goes round after four thousand million epochs: then no member may bear it from before.
void Window::begin_epoch() noexcept {
  if (++epoch_ == 0) [[unlikely]] {
    for (Member& each : members_) {
      each.open_in = 0;
    }
    epoch_ = 1;
  }
}

// But that of locks.
Mistake Window::in_epoch() const noexcept {
  switch (access()) {
    case Access::kNone:
    case Access::kFence: break;
    case Access::kFenceUsed: return Mistake::kFenced;
    case Access::kStarted: return Mistake::kStarted;
    case Access::kLockAll: return Mistake::kAllLocked;
  }
  return Mistake::kNone;
}

// Members of other nodes have one who changes elements by the questions of all (far_home.cpp): by instructions always.
void Window::look_at_rule(Member& member, bool has_lock) const noexcept {
  if (!spans_) {
    // Relaxed: who finds the member open finds this too.
    member.is_by_lock.store(look_at(member.line->rule, has_lock, fences_), std::memory_order_relaxed);
  }
}

void Window::settle_rule(Member& member, bool holds_alone) noexcept {
  if (!spans_) {
    settle_by_wish(member.line->rule, member.line->lock, holds_alone, job::node().me);
  }
}

bool Window::open_slowly(Member& member) noexcept {
  switch (access()) {
    case Access::kNone: return false;
    case Access::kFence:
      // Relaxed: the threads of a process agree by their own means on who begins and ends an epoch.
      access_.store(Access::kFenceUsed, std::memory_order_relaxed);
      break;
    case Access::kFenceUsed: break;
    case Access::kLockAll:
      if (!is_unchecked_) {
        lock_late(member);
      } else {
        look_at_rule(member, false);
      }
      break;
    case Access::kStarted:
      if (!started_->of[static_cast<std::size_t>(member.rank)].is_in) {
        return false;
      }
      await_post(member);
      break;
  }
  if (access() != Access::kLockAll) {
    look_at_rule(member, true);
  }
  std::atomic_ref(member.open_in).store(epoch_, std::memory_order_release);  // as in is_open()
  return true;
}

// So that people are told who holds what others wait for, and what somebody held who died.
inline int Window::note_lock(const Member& member, Mode mode, std::uintptr_t what) const noexcept {
  const Common& common = members_.common();
  return job::note_held_of_window({.window = common.number,
                                   .first = member.rank,
                                   .last = member.rank,
                                   .pe = member.pe,
                                   .exclusive = mode == Mode::kExclusive,
                                   .label = common.label},
                                  what);
}

void Window::note_simply(Member& member, Mode mode) noexcept {
  member.noted = static_cast<std::int8_t>(note_lock(member, mode, told_as(member, mode)));
}

void Window::lock_behind(Member& member, Mode mode, std::uint32_t position) noexcept {
  wait_for_lock(member, member.line->lock, mode, position,
                mode == Mode::kShared ? boot::OfWindow::kShared : boot::OfWindow::kExclusive);
  begin_at(member, mode);
}

void Window::look_with_lock(Member& member, Mode mode) noexcept {
  if (mode == Mode::kExclusive) {
    settle_rule(member, true);
  }
  look_at_rule(member, true);
}

Mistake Window::lock_in_full(Member& member, Mode mode, bool check) noexcept {
  if (access() != Access::kNone) {
    if (const Mistake mistake = in_epoch(); mistake != Mistake::kNone) {
      return mistake;
    }
    // Relaxed: see open_slowly(). Nothing has followed the fence.
    access_.store(Access::kNone, std::memory_order_relaxed);
  }
  if (member.holds != Holds::kNothing) {
    return Mistake::kHeld;
  }
  if (!check) {
    look_at_rule(member, false);
    member.holds = Holds::kUnchecked;
    member.open_in = epoch_;
    return Mistake::kNone;
  }
  if (spans_ || lock_by_ != LockBy::kHome) {
    lock_beyond(member, mode);
  } else {
    if (mode == Mode::kShared) {
      settle_rule(member, false);
    }
    take_lock(member, member.line->lock, mode,
              mode == Mode::kShared ? boot::OfWindow::kShared : boot::OfWindow::kExclusive);
    look_with_lock(member, mode);
  }
  member.open_in = epoch_;
  member.holds = mode == Mode::kShared ? Holds::kShared : Holds::kExclusive;
  member.noted = static_cast<std::int8_t>(note_lock(member, mode));
  return Mistake::kNone;
}

// Of a window with members of other nodes, or whose locks migrate.
void Window::lock_beyond(Member& member, Mode mode) noexcept {
  if (lock_by_ != LockBy::kHome) {
    lock_moving(member, lock_by_, mode, under_way().moves);
  } else if (!member.is_here()) {
    lock_far(member, me_, mode);
  } else {
    take_lock(member, member.line->lock, mode,
              mode == Mode::kShared ? boot::OfWindow::kShared : boot::OfWindow::kExclusive);
  }
  look_at_rule(member, true);
}

void Window::let_go_beyond(Member& member, Mode mode) noexcept {
  lock_by_ != LockBy::kHome ? unlock_moving(member, lock_by_, mode, under_way().moves)
                            : unlock_far(member, me_, mode, will_tell(member));
}

inline void Window::let_go(Member& member, Mode mode) noexcept {
  if (lock_by_ != LockBy::kHome || !member.is_here()) [[unlikely]] {
    let_go_beyond(member, mode);
    return;
  }
  lock::let_go(member.line->lock, mode, member.pe);
  tell_elsewhere(member);
}

Mistake Window::unlock_in_full(Member& member) noexcept {
  if (access() == Access::kLockAll || member.holds == Holds::kNothing) {
    return access() == Access::kLockAll ? Mistake::kAllLocked : Mistake::kNotLocked;
  }
  const Holds held = member.holds;
  member.holds = Holds::kNothing;
  member.open_in = 0;
  const Mode mode = held == Holds::kShared ? Mode::kShared : Mode::kExclusive;
  if (held == Holds::kUnchecked || spans_) {
    complete();
  }
  if (held != Holds::kUnchecked) {
    job::note_released_of_window(std::exchange(member.noted, std::int8_t{-1}));
    let_go(member, mode);
  }
  return Mistake::kNone;
}

// Of an epoch of all members; in it `holds` is what has been locked.
void Window::lock_late(Member& member) noexcept {
  std::unique_lock<std::mutex> opening;
  std::unique_lock<std::mutex> list;
  if (has_threads_) {
    opening = std::unique_lock(threads_->opening[static_cast<std::size_t>(member.rank)]);
  }
  if (member.holds != Holds::kNothing) {
    return;  // another thread has
  }
  if (lock_by_ != LockBy::kHome) {
    lock_moving(member, lock_by_, Mode::kShared, under_way().moves);
  } else if (!member.is_here()) {
    lock_far_late(member, me_);
  } else {
    settle_rule(member, false);
    take_lock_late(member, member.line->lock);
  }
  look_at_rule(member, true);
  member.holds = Holds::kShared;
  if (has_threads_) {
    list = std::unique_lock(threads_->locking);
  }
  // One note for ranks that are locked one behind the other, as there is room for few.
  if (noted_ >= 0 && member.rank == locked_.back() + 1) {
    job::note_one_more(noted_, member.rank);
  } else {
    noted_ = note_lock(member, Mode::kShared);
    member.noted = static_cast<std::int8_t>(noted_);
  }
  locked_.push_back(member.rank);
}

void Window::unlock_late(Member& member) noexcept {
  job::note_released_of_window(std::exchange(member.noted, std::int8_t{-1}));
  member.holds = Holds::kNothing;
  let_go(member, Mode::kShared);
}

// Of this process's own part a program has the address in any case. In the order of ranks, as programs that lock
// several one by one mostly do.
void Window::lock_for_loads() noexcept {
  for (Member& each : members_) {
    // A lock that migrates has no late readers: all are taken, in that order.
    if (each.rank == me_ || lock_by_ != LockBy::kHome || (is_loaded_ && each.is_here() && each.way == Way::kMapped)) {
      (void)is_open(each);
    }
  }
}

void Window::expect_loads() noexcept {
  is_loaded_ = true;
  if (access() == Access::kLockAll) {
    lock_for_loads();
  }
}

// The rest when they are used first (open_slowly).
Mistake Window::lock_all(bool check) noexcept {
  if (const Mistake mistake = in_epoch(); mistake != Mistake::kNone || holds_any()) {
    return mistake != Mistake::kNone ? mistake : Mistake::kLocked;
  }
  is_unchecked_ = !check;
  access_.store(Access::kLockAll, std::memory_order_relaxed);
  if (check) {
    lock_for_loads();
  }
  return Mistake::kNone;
}

Mistake Window::unlock_all() noexcept {
  if (access() != Access::kLockAll) {
    return Mistake::kNotAllLocked;
  }
  complete();
  noted_ = -1;
  for (auto last = locked_.rbegin(); last != locked_.rend(); ++last) {
    unlock_late(member(*last));
  }
  locked_.clear();
  begin_epoch();
  access_.store(Access::kNone, std::memory_order_relaxed);
  return Mistake::kNone;
}

Mistake Window::may_flush(const Member& member) const noexcept {
  return access() == Access::kLockAll || member.holds != Holds::kNothing ? Mistake::kNone : Mistake::kNotLocked;
}

Mistake Window::may_flush_all() const noexcept {
  return access() == Access::kLockAll || holds_any() ? Mistake::kNone : Mistake::kNotLocked;
}

Mistake Window::fence(bool ends) noexcept {
  const Mistake mistake = in_epoch();
  if (mistake != Mistake::kNone && mistake != Mistake::kFenced) {
    return mistake;
  }
  if (is_exposed_ || holds_any()) {
    return is_exposed_ ? Mistake::kPosted : Mistake::kLocked;
  }
  finish();
  begin_epoch();
  ++fences_;
  // Where an epoch follows all wait for each other.
  if (!ends && !spans_) {
    settle_from_fence(line_->rule, fences_);
  }
  access_.store(ends ? Access::kNone : Access::kFence, std::memory_order_relaxed);
  return Mistake::kNone;
}

Mistake Window::may_end() const noexcept {
  const Mistake mistake = in_epoch();
  // A fence that nothing needed to follow ends with the window.
  return mistake != Mistake::kNone && mistake != Mistake::kFenced ? mistake
         : is_exposed_                                            ? Mistake::kPosted
         : holds_any()                                            ? Mistake::kLocked
                                                                  : Mistake::kNone;
}

}  // namespace weft::win
