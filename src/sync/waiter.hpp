// The one way Weft waits: spin, then yield the core, then sleep.
//
// Measured on two virtual cores: waking a sleeper on another core costs 50 to 130 us, a yield 0.16 us, and two
// spinning processes that share a core lose a scheduler slice (4 ms) each round. So a PE with a core of its own
// spins first, one without yields almost at once, and nobody sleeps before about a millisecond has passed.
#pragma once

#include <sched.h>

#include <atomic>
#include <cstdint>

#include "os/clock.hpp"
#include "sync/doorbell.hpp"

namespace weft::sync {

struct Patience {
  std::uint32_t spins = 0;           // polls before the first yield
  std::uint64_t sleep_after_ns = 0;  // spinning and yielding together
  std::uint64_t shortest_nap_ns = 100'000;
  std::uint64_t longest_nap_ns = 25'000'000;
  /// Called now and then by who waits longer than a few yields: work that this PE owes others. True while some is left,
  /// and then naps are short.
  bool (*idle)() noexcept = nullptr;
  /// In a job of several nodes: lets the network go on. Called between two looks, as what is waited for may come by it.
  void (*poll)() noexcept = nullptr;
  /// And this before each nap: somebody else has to call it meanwhile.
  void (*lie_down)() noexcept = nullptr;
};

/// spins < 0 and sleep_after_us < 0 mean "by PEs against processors".
Patience patience_for(int n_pes, int cpus, long spins = -1, long sleep_after_us = -1) noexcept;

/// How a long wait is written down for people: begin() when it has outlasted its spinning, looked() whenever it has
/// been found to go on, and for how long it has, end() when it is over; the last two with what begin() gave. Anything
/// that has these three can stand in for WaitNote where waits are templates.
class WaitNote {
 public:
  static constexpr std::uint64_t kNoDetail = UINT64_MAX;
  struct Writer {
    /// The detail is what only the wait itself knows: of a lock the ticket.
    int (*begin)(const void* subject, std::uint64_t detail) noexcept;
    void (*looked)(int place) noexcept;
    void (*end)(int place) noexcept;
  };
  WaitNote() = default;  // nobody wants to know
  WaitNote(const Writer& writer, const void* subject) noexcept : writer_(&writer), subject_(subject) {}

  int begin(std::uint64_t detail = kNoDetail) const noexcept {
    return writer_ == nullptr ? -1 : writer_->begin(subject_, detail);
  }
  void looked(int place, std::uint64_t /*waited_ns*/) const noexcept {
    if (writer_ != nullptr) {
      writer_->looked(place);
    }
  }
  void end(int place) const noexcept {
    if (writer_ != nullptr) {
      writer_->end(place);
    }
  }

 private:
  const Writer* writer_ = nullptr;
  const void* subject_ = nullptr;
};

inline constexpr int kQuietYields = 8;

inline void relax() noexcept {
#if defined(__x86_64__) || defined(__i386__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  __asm__ __volatile__("yield");
#endif
}

namespace detail {
inline bool work_is_left(const Patience& patience) noexcept { return patience.idle != nullptr && patience.idle(); }
inline void poll(const Patience& patience) noexcept {
  if (patience.poll != nullptr) {
    patience.poll();
  }
}
inline void lie_down(const Patience& patience) noexcept {
  if (patience.lie_down != nullptr) {
    patience.lie_down();
  }
}
/// A nap for somebody who has waited this long already: an eighth of it, within the bounds, so a wake-up that no
/// ringer announces (a plain store by a peer) comes late by a small part of the wait only.
std::uint64_t nap_ns(const Patience& patience, std::uint64_t waited_ns, bool work_is_left) noexcept;
inline std::uint32_t bits_of(const Doorbell& /*bell*/) noexcept { return os::kEveryWaiter; }
inline std::uint32_t bits_of(const BellFor& bell) noexcept { return bell.bits; }
}  // namespace detail

/// Returns when done() is true. done() must read with acquire order, must be cheap, and is called by this thread only.
/// all_sleepers, when not null, is a word that counts the sleepers of all bells of the job. Bell: Doorbell or BellFor.
template <class Done, class Note = WaitNote, class Bell = Doorbell>
void wait(const Patience& patience, Bell& bell, std::atomic<std::uint32_t>* all_sleepers, const Note& note,
          Done&& done) noexcept {
  // With PAUSE from the first look on: without it, the looks delay the line that they wait for.
  for (std::uint32_t k = 0; k < patience.spins; ++k) {
    if (done()) {
      return;
    }
    relax();
    detail::poll(patience);
  }
  if (done()) {
    return;
  }
  // A wait that a few yields satisfy is neither timed nor written down: with more PEs than processors that is what
  // most barriers are.
  for (int k = 0; k < kQuietYields; ++k) {
    ::sched_yield();
    if (done()) {
      return;
    }
    if (patience.poll != nullptr) {  // a call of the system, which those above did without
      patience.poll();
      if (done()) {
        return;
      }
    }
  }
  const int place = note.begin();
  const std::uint64_t begin = os::now_ns();
  std::uint64_t awake_until = begin + patience.sleep_after_ns;
  for (std::uint64_t now = begin;; now = os::now_ns()) {
    const bool work_is_left = detail::work_is_left(patience);
    if (now < awake_until) {
      // A clock reading each 16 yields: alone on a core a yield returns at once.
      for (int k = 0; k < 16; ++k) {
        ::sched_yield();
        detail::poll(patience);
        if (done()) {
          note.end(place);
          return;
        }
      }
      note.looked(place, now - begin);
      continue;
    }
    bell.sleepers.fetch_add(1, std::memory_order_relaxed);
    if (all_sleepers != nullptr) {
      all_sleepers->fetch_add(1, std::memory_order_relaxed);
    }
    const std::uint32_t rings = bell.rings.load(std::memory_order_acquire);
    // Pairs with the ringer's fence: announced before looking once more.
    std::atomic_thread_fence(std::memory_order_seq_cst);
    const bool already = done();
    if (!already) {
      note.looked(place, now - begin);
      detail::lie_down(patience);
      os::futex_wait(bell.rings, rings, detail::nap_ns(patience, now - begin, work_is_left), detail::bits_of(bell));
    }
    // Where the network brings something, it brings more: who is up for it serves the rest faster than the thread that
    // had to wake it.
    if (patience.poll != nullptr && bell.rings.load(std::memory_order_relaxed) != rings) {
      awake_until = os::now_ns() + patience.sleep_after_ns;
    }
    if (all_sleepers != nullptr) {
      all_sleepers->fetch_sub(1, std::memory_order_relaxed);
    }
    bell.sleepers.fetch_sub(1, std::memory_order_relaxed);
    if (already || done()) {
      note.end(place);
      return;
    }
  }
}

}  // namespace weft::sync
