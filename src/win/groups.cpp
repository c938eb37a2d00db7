// When members may be accessed: the groups of start and post, and telling members what has ended or may begin.
#include <atomic>
#include <memory>
#include <vector>

#include "job/node.hpp"
#include "os/futex.hpp"
#include "sync/uncrowded.hpp"
#include "win/waits.hpp"
#include "win/window.hpp"

namespace weft::win {
namespace {

template <class Done>
void wait_here(Line& line, const Member& member, boot::OfWindow what, Done&& done) noexcept {
  sync::BellFor bell{line.rings, line.sleepers, os::kEveryWaiter};
  sync::wait_uncrowded(job::node().patience, bell, nullptr, WaitTold(member, what, nullptr), done);
}

// How often more than counted; numbers go round.
bool has_more(const std::atomic<std::uint32_t>& flag, std::uint32_t counted) noexcept {
  // Acquire: what the other one did before it told.
  return flag.load(std::memory_order_acquire) != counted;
}

}  // namespace

// The only writer of the flag is this process, but several of its threads may be.
void Window::tell(Line& line, std::atomic<std::uint32_t>& flag) noexcept {
  // seq_cst, release: what this process did before is seen by who is told; and either it finds who is about to sleep,
  // or that one finds itself told.
  flag.fetch_add(1, std::memory_order_seq_cst);
#if !defined(__x86_64__) && !defined(__i386__)
  std::atomic_thread_fence(std::memory_order_seq_cst);  // as in sync::ring()
#endif
  if (line.sleepers.load(std::memory_order_relaxed) != 0) {
    // Release: who finds the bell changed finds what it was rung for.
    line.rings.fetch_add(1, std::memory_order_release);
    os::futex_wake_all(line.rings);
  }
}

// What it does not answer.
UnderWay& Window::will_tell(const Member& member) noexcept {
  // Relaxed: two threads may write the same; who ends the window looks behind both.
  std::atomic_ref(spanning_->beyond[static_cast<std::size_t>(member.rank)].is_told)
      .store(true, std::memory_order_relaxed);
  return spanning_->under_way;
}

void Window::tell_member(Member& member, bool posted) noexcept {
  if (!member.is_here()) {
    tell_far(member, me_, posted, will_tell(member));
    return;
  }
  Flags& flags = member.line->flags()[me_];
  tell(*member.line, posted ? flags.posted : flags.completed);
}

void Window::begin_group(std::unique_ptr<Group>& group, const int* ranks, int count) const noexcept {
  if (group == nullptr) {
    group = std::make_unique<Group>();
    group->of.resize(static_cast<std::size_t>(size()));
  }
  group->ranks.assign(ranks, ranks + count);
  for (const int rank : group->ranks) {
    group->of[static_cast<std::size_t>(rank)].is_in = true;
  }
}

Mistake Window::start(const int* ranks, int count) noexcept {
  if (const Mistake mistake = in_epoch(); mistake != Mistake::kNone || holds_any()) {
    return mistake != Mistake::kNone ? mistake : Mistake::kLocked;
  }
  begin_group(started_, ranks, count);
  begin_epoch();
  access_.store(Access::kStarted, std::memory_order_relaxed);
  return Mistake::kNone;
}

void Window::await_post(Member& member) noexcept {
  const std::atomic<std::uint32_t>& posted = line_->flags()[member.rank].posted;
  const std::uint32_t counted = started_->of[static_cast<std::size_t>(member.rank)].counted;
  wait_here(*line_, member, boot::OfWindow::kPost, [&]() noexcept { return has_more(posted, counted); });
}

Mistake Window::complete_started() noexcept {
  if (access() != Access::kStarted) {
    return Mistake::kNotStarted;
  }
  finish();  // each one's flag is a release (tell())
  for (const int rank : started_->ranks) {
    await_post(member(rank));
    Group::Of& of = started_->of[static_cast<std::size_t>(rank)];
    ++of.counted;
    of.is_in = false;
    tell_member(member(rank), false);
  }
  begin_epoch();
  access_.store(Access::kNone, std::memory_order_relaxed);
  return Mistake::kNone;
}

Mistake Window::post(const int* ranks, int count) noexcept {
  if (is_exposed_ || access() == Access::kFenceUsed) {
    return is_exposed_ ? Mistake::kPosted : Mistake::kFenced;
  }
  is_exposed_ = true;
  // Who has changed long rows has told since that it is through. Nobody accesses this member now.
  if (!spans_ && has_long_rows(line_->rule)) {
    settle(line_->rule, By::kLock);
  }
  begin_group(let_in_, ranks, count);
  for (const int rank : let_in_->ranks) {
    tell_member(member(rank), true);
  }
  return Mistake::kNone;
}

bool Window::all_have_completed() noexcept {
  std::vector<int>& ranks = let_in_->ranks;
  while (!ranks.empty()) {
    const int rank = ranks.back();
    Group::Of& of = let_in_->of[static_cast<std::size_t>(rank)];
    if (!has_more(line_->flags()[rank].completed, of.counted)) {
      return false;
    }
    ++of.counted;
    ranks.pop_back();
  }
  return true;
}

Mistake Window::wait() noexcept {
  if (!is_exposed_) {
    return Mistake::kNotPosted;
  }
  // One after the other: which one a wait is for can be told.
  while (!all_have_completed()) {
    const int last = let_in_->ranks.back();
    const std::uint32_t counted = let_in_->of[static_cast<std::size_t>(last)].counted;
    const std::atomic<std::uint32_t>& completed = line_->flags()[last].completed;
    wait_here(*line_, member(last), boot::OfWindow::kCompletion,
              [&]() noexcept { return has_more(completed, counted); });
  }
  is_exposed_ = false;
  return Mistake::kNone;
}

Mistake Window::test(bool* is_over) noexcept {
  if (!is_exposed_) {
    return Mistake::kNotPosted;
  }
  *is_over = all_have_completed();
  is_exposed_ = !*is_over;
  return Mistake::kNone;
}

}  // namespace weft::win
