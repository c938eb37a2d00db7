#include "progress/turn.hpp"

#include "os/futex.hpp"

namespace weft::progress {

// A fence on both sides, between what is told and looking at what the other one tells: either the thread sees the new
// value before it sleeps, or this sees that it is away.
void Turn::take_over(While does) noexcept {
  // Relaxed: it only saves time.
  what.store(does, std::memory_order_relaxed);
  // Relaxed: it goes with the change behind it, which releases.
  left_at.store(polls.load(std::memory_order_relaxed), std::memory_order_relaxed);
  wanted.fetch_add(1, std::memory_order_release);
  std::atomic_thread_fence(std::memory_order_seq_cst);
  // Relaxed: nothing is read behind it.
  if (away.load(std::memory_order_relaxed)) {
    os::futex_wake_all(wanted);
  }
}

// The fences as above. Where the thread's comes later it sees what is told here; where it came first this sees all that
// the thread has stored before it, so what `looks_soon` tells is of this look and not of the last one.
void Turn::look_soon() noexcept {
  // Relaxed: it only saves time. Where the PE lay down, and was up again without a poll, the thread would go on looking
  // beside a program that computes.
  what.store(While::kComputes, std::memory_order_relaxed);
  soon.store(true, std::memory_order_release);
  std::atomic_thread_fence(std::memory_order_seq_cst);
  if (away.load(std::memory_order_relaxed) && !looks_soon.load(std::memory_order_relaxed)) {
    wanted.fetch_add(1, std::memory_order_release);
    os::futex_wake_all(wanted);
  }
}

// Who sleeps elsewhere is woken by other means (progress.cpp).
void Turn::end() noexcept {
  // seq_cst, for the bell: either the thread sees this before it sleeps, or is counted as a sleeper.
  (void)ended.exchange(true, std::memory_order_seq_cst);
}

}  // namespace weft::progress
