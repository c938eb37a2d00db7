// First come, first served lock in one 64-bit word that any PE of the node can reach.
//
// Low half: the ticket being served. High half: the next ticket to give out. Taking a ticket is one fetch_add, so the
// order of grants is the order of arrival, whether the waiters are PEs or threads of one PE. All state is in the
// word: a zeroed word is a free lock.
#pragma once

#include <atomic>
#include <cstdint>

#include "sync/waiter.hpp"

namespace weft::sync {

class TicketLock {
 public:
  /// word is 8-byte aligned memory that all contenders map.
  explicit TicketLock(void* word) noexcept : word_(static_cast<std::atomic<std::uint64_t>*>(word)) {}

  void lock(const Patience& patience, const WaitNote& note) noexcept;
  /// True when taken.
  bool try_lock() noexcept;
  void unlock() noexcept;
  /// Somebody holds it.
  bool held() const noexcept;

 private:
  std::atomic<std::uint32_t>& serving() const noexcept;

  std::atomic<std::uint64_t>* word_;
};

}  // namespace weft::sync
