// Waiting (waiter.hpp) of threads that find out when they share their processor in vain (crowding.hpp) and leave it.
#pragma once

#include <atomic>
#include <cstdint>

#include "os/clock.hpp"
#include "sync/crowding.hpp"
#include "sync/waiter.hpp"

namespace weft::sync {

/// Who has no processor of its own, and so does not spin, has only the clock to tell a yield that came back at once
/// from one that let others run.
enum class Uncrowds : std::uint8_t { kWhoSpins, kEverybody };

namespace detail {

/// Of this thread. Called by who waits: no other library sees the variable.
Crowding& crowding() noexcept;
/// As sched_setaffinity() twice: not where nobody leaves.
[[gnu::cold]] void leave_processor() noexcept;

// A wait is long when it is written down.
template <class Note>
class TellsLong {
 public:
  explicit TellsLong(const Note& note) noexcept : note_(note) {}
  int begin() const noexcept {
    is_long_ = true;
    return note_.begin();
  }
  void looked(int place, std::uint64_t waited_ns) const noexcept { note_.looked(place, waited_ns); }
  void end(int place) const noexcept { note_.end(place); }
  bool is_long() const noexcept { return is_long_; }

 private:
  const Note& note_;
  mutable bool is_long_ = false;  // a wait has one note, on its stack
};

}  // namespace detail

/// As wait(), of somebody who found that done() is not. True: it is time to leave this processor.
template <Uncrowds who, class Done, class Note, class Bell>
bool wait_and_tell(Crowding& crowding, const Patience& patience, Bell& bell, std::atomic<std::uint32_t>* all_sleepers,
                   const Note& note, Done&& done) noexcept {
  const bool by_clock = who == Uncrowds::kEverybody && patience.spins == 0;
  Patience mine = patience;
  mine.spins = crowding.spins() ? patience.spins : 0;
  const detail::TellsLong<Note> noted(note);
  const std::uint64_t began_ns = by_clock ? os::now_ns() : 0;
  std::uint32_t looks = 0;
  wait(mine, bell, all_sleepers, noted, [&]() noexcept {
    ++looks;
    return done();
  });
  const bool soon = by_clock ? os::now_ns() - began_ns < Crowding::kSwitchNs : looks <= mine.spins;
  return crowding.waited(noted.is_long() ? Crowding::Ended::kLater
                         : soon          ? Crowding::Ended::kSoon
                                         : Crowding::Ended::kYielding);
}

/// As wait().
template <Uncrowds who = Uncrowds::kWhoSpins, class Done, class Note = WaitNote, class Bell = Doorbell>
void wait_uncrowded(const Patience& patience, Bell& bell, std::atomic<std::uint32_t>* all_sleepers, const Note& note,
                    Done&& done) noexcept {
  // What comes from other nodes is waited for otherwise.
  if ((who == Uncrowds::kWhoSpins && patience.spins == 0) || patience.poll != nullptr) {
    wait(patience, bell, all_sleepers, note, done);
    return;
  }
  // What has come before says nothing: of two that share a processor each finds every second time that the other one
  // was there while this one was not.
  if (done()) {
    return;
  }
  if (wait_and_tell<who>(detail::crowding(), patience, bell, all_sleepers, note, done)) [[unlikely]] {
    detail::leave_processor();
  }
}

}  // namespace weft::sync
