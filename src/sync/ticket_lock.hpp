// First come, first served lock in one word that any PE of the node can reach: of 64 bits (a C long), or of 32 (a
// default INTEGER of Fortran).
//
// Low half: the ticket being served. High half: the next ticket to give out. Taking a ticket is one fetch_add, so the
// order of grants is the order of arrival, whether the waiters are PEs or threads of one PE. All state is in the
// word: a zeroed word is a free lock. The halves of the small one wrap after 65,536 tickets, which is harmless as long
// as fewer than that wait at once: more than the threads of all PEs of a node.
#pragma once

#include <atomic>
#include <cstdint>

#include "sync/waiter.hpp"

namespace weft::sync {

template <class Word, class Half>
class BasicTicketLock {
  static_assert(sizeof(Word) == 2 * sizeof(Half));

 public:
  /// word is memory that all contenders map, aligned to its size. all_sleepers counts who sleeps in any lock, so that
  /// unlock() may find that there is nobody to wake; it is the same for all contenders.
  BasicTicketLock(void* word, std::atomic<std::uint32_t>& all_sleepers) noexcept
      : word_(static_cast<std::atomic<Word>*>(word)), all_sleepers_(&all_sleepers) {}

  void lock(const Patience& patience, const WaitNote& note) noexcept;
  /// True when taken.
  bool try_lock() noexcept;
  void unlock() noexcept;
  /// Somebody holds it.
  bool held() const noexcept;

 private:
  std::atomic<Half>& serving() const noexcept;

  std::atomic<Word>* word_;
  std::atomic<std::uint32_t>* all_sleepers_;
};

using TicketLock = BasicTicketLock<std::uint64_t, std::uint32_t>;
using SmallTicketLock = BasicTicketLock<std::uint32_t, std::uint16_t>;

}  // namespace weft::sync
