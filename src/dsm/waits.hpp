// How threads of a PE wait for other PEs.
#pragma once

#include <atomic>
#include <cstdint>

#include "coll/barrier.hpp"
#include "job/node.hpp"
#include "job/shared_area.hpp"
#include "sync/waiter.hpp"

namespace weft::dsm {

/// Of a PE whose program has many threads (start.hpp).
struct Crowd {
  bool threads = false;
  std::atomic<int> waiters = 0;
};
extern constinit Crowd g_crowd;

/// For the room of a message, which nobody announces, or for an answer, which ends a sleep.
enum class For : bool { kRoom, kAnswer };

/// Lets the network go on until it is so. Of a wait that other PEs' programs end, this one does its part in what they
/// may wait for meanwhile; of others not, as threads wait that are not the program's.
///
/// Of a crowd one thread looks and the others sleep until it, or the agent, has found what they wait for; and who goes
/// on with the program leaves the network to the agent, which else would take it for busy for a while.
template <class Done>
void wait_until(Done&& done, const sync::WaitNote* of_program = nullptr, For what = For::kAnswer) noexcept {
  if (done()) {
    return;
  }
  const job::Node& node = job::node();
  sync::Patience patience = coll::patience();
  if (of_program == nullptr) {
    patience.idle = nullptr;
  }
  // Relaxed: with two lookers, or none for a moment, only time is lost.
  if (g_crowd.threads && g_crowd.waiters.fetch_add(1, std::memory_order_relaxed) != 0 && what == For::kAnswer) {
    patience.spins = 0;
    patience.sleep_after_ns = 0;
  }
  sync::wait(patience, node.value_bell(node.local), &job::shared_head(node.job).value_sleepers,
             of_program == nullptr ? sync::WaitNote() : *of_program, done);
  if (g_crowd.threads) {
    g_crowd.waiters.fetch_sub(1, std::memory_order_relaxed);
    if (patience.lie_down != nullptr) {
      patience.lie_down();
    }
  }
}

}  // namespace weft::dsm
