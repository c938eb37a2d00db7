// How tests of the lock for readers and writers take it.
#pragma once

#include "lock/readers.hpp"
#include "sync/waiter.hpp"

namespace weft::lock {

// Naps that no test outlasts: a wake-up that is lost is a test that does not end.
inline sync::Patience sleepy() {
  sync::Patience patience;
  patience.sleep_after_ns = 0;
  patience.shortest_nap_ns = patience.longest_nap_ns = 1'000'000'000'000;
  return patience;
}

inline void take(SharedLock& lock, Mode mode, int me, const sync::Patience& patience = {}) {
  if (const Turn turn = take_or_queue(lock, mode, me); !turn.is_inside) {
    await_turn(lock, mode, turn.position, patience, sync::WaitNote());
  }
}

}  // namespace weft::lock
