// How waits of a window are told people (job/notes.hpp), and taking a member's locks with that.
#pragma once

#include <cstdint>

#include "job/notes.hpp"
#include "lock/shared.hpp"
#include "win/member.hpp"

namespace weft::win {

/// As sync::WaitNote. lock: whose holder is looked at while the wait lasts; null: `needed` is waited for.
class WaitTold {
 public:
  /// place: in the lock's queue, and one more; 0: it is not known.
  /// of_word: boot::kToBeTaken, with kCompletion: this process has ended what it did at the member, or lets that begin,
  /// and the member has not taken word of it yet.
  WaitTold(const Member& member, boot::OfWindow what, const lock::SharedLock* of, std::uint64_t place = 0,
           std::uint32_t of_word = 0) noexcept
      : member_(member), what_(what), lock_(of), place_(place), of_word_(of_word) {}
  int begin(std::uint64_t /*detail*/ = 0) const noexcept;
  void looked(int place, std::uint64_t waited_ns) const noexcept;
  void end(int place) const noexcept { job::end_wait(place); }

 private:
  void tell(int place) const noexcept;

  const Member& member_;
  boot::OfWindow what_;
  const lock::SharedLock* lock_;
  std::uint64_t place_;
  std::uint32_t of_word_;
};

void wait_for_lock(const Member& member, lock::SharedLock& of, lock::Mode mode, std::uint32_t position,
                   boot::OfWindow what) noexcept;

/// As a late reader (lock/late.hpp), in an epoch of all members.
void take_lock_late(const Member& member, lock::SharedLock& of) noexcept;

/// As lock::take().
inline void take_lock(const Member& member, lock::SharedLock& of, lock::Mode mode, boot::OfWindow what) noexcept {
  const lock::Turn turn = lock::take_or_queue(of, mode, job::node().me);
  if (!turn.is_inside) [[unlikely]] {
    wait_for_lock(member, of, mode, turn.position, what);
  }
}

}  // namespace weft::win
