// Waits of threads that share processors, for several others of which it is known where they are: who waits only for
// threads on other processors looks on for a while, as these run, and yields at once to one on its own (record 0157).
//
// All of it is a hint. A number that is old, as its thread was moved, costs yields, or looks.
#pragma once

#include <sched.h>

#include <atomic>
#include <cstdint>

#include "sync/waiter.hpp"

namespace weft::sync {

/// In a line that its thread writes and others look at.
struct Whereabouts {
  std::atomic<std::uint32_t> processor;  // one more than its number; 0: nothing is known yet
  std::atomic<std::uint64_t> come;       // to which meeting the thread has come, where meetings are counted
};
/// So many are looked at, and no more.
inline constexpr int kMostLookedAt = 16;

/// Whether this job's waits look on at all, and its threads say where they are. Not where people chose how waits spin,
/// and not in jobs of several nodes, whose waits let the network go on. Set once, before there are teams.
extern bool g_looks_elsewhere;

inline std::uint32_t this_processor() noexcept { return static_cast<std::uint32_t>(::sched_getcpu() + 1); }

/// The line stays with those who look at it while the thread stays where it is.
inline void tell_processor(Whereabouts& own) noexcept {
  // Relaxed: a hint, and the thread's own word.
  if (const std::uint32_t now = this_processor(); own.processor.load(std::memory_order_relaxed) != now) {
    own.processor.store(now, std::memory_order_relaxed);
  }
}

/// Of the processors of `count` threads, whether the one of number `me` is to leave its own: there are at least two
/// more than on another one, and it is the last of them. So they spread one by one.
inline bool is_one_too_many(const std::uint32_t* processors, int count, int me) noexcept {
  const auto on = [&](std::uint32_t processor) {
    int threads = 0;
    for (int k = 0; k < count; ++k) {
      threads += processors[k] == processor ? 1 : 0;
    }
    return threads;
  };
  const std::uint32_t mine = processors[me];
  for (int k = me + 1; k < count; ++k) {
    if (processors[k] == mine) {
      return false;
    }
  }
  const int here = on(mine);
  for (int k = 0; k < count; ++k) {
    if (processors[k] == 0) {
      return false;
    }
  }
  for (int k = 0; k < count; ++k) {
    if (on(processors[k]) + 2 <= here) {
      return true;
    }
  }
  return false;
}

/// Polls before each yield: 1 to 3 us, a yield to somebody who waits too, and back.
inline constexpr std::uint32_t kSpinsElsewhere = 64;

/// The first part of a wait: true when done(). is_beside(processor): one of those that are waited for was last seen on
/// this processor. Until all of its looks are over at most 8 times 64. False at once where the wait spins anyway, or
/// polls the network.
template <class IsBeside, class Done>
bool wait_elsewhere(const Patience& patience, IsBeside&& is_beside, Done&& done) noexcept {
  if (patience.spins != 0 || patience.poll != nullptr) {
    return false;
  }
  for (int k = 0; k < kQuietYields; ++k) {
    if (done()) {
      return true;
    }
    for (std::uint32_t looks = is_beside(this_processor()) ? 0 : kSpinsElsewhere; looks > 0; --looks) {
      relax();
      if (done()) {
        return true;
      }
    }
    ::sched_yield();
  }
  return done();
}

}  // namespace weft::sync
