// How threads of a PE wait for other PEs.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>

#include "coll/barrier.hpp"
#include "job/node.hpp"
#include "job/shared_area.hpp"
#include "os/clock.hpp"
#include "sync/waiter.hpp"

namespace weft::dsm {

/// The program has many threads (start.hpp): who had to wait for a page computes from then on, though others of it may
/// wait for something again at once.
extern constinit bool g_crowd;
/// It goes on behind waits for long, as the interval is known to (pages.hpp).
extern constinit std::atomic<bool> g_computes;
/// The program goes on: who asks this PE is answered by the agent from now on, if there is one.
void leave_network() noexcept;
/// The same behind a wait that began then. Where this thread waits again and again, and does little else, the agent
/// takes over once that ends; not where other threads of the program, or other PEs, have no processor of their own.
void leave_network_behind(std::uint64_t began_ns) noexcept;

/// Who does not wait yet lets the network go on, and has it from here on: else the agent would be woken for each answer
/// of those that come meanwhile, and take the processor from this thread. Who calls it waits behind that: nobody would
/// look any more otherwise. Behind a full parcel of a batch there is always another one, which Batch::wait() sends and
/// waits for.
void look_at_network() noexcept;

/// This thread is none of the program's (notes.hpp). It sleeps almost at once, and again at once where it was woken for
/// what others wait for: where it looks for an answer it takes the processor from the program, here and, if several PEs
/// share that, from who is to answer. Nor does the agent look for more in its place, as the program computes.
bool is_beside() noexcept;
constexpr sync::Patience patience_beside(sync::Patience patience) noexcept {
  patience.spins = std::min(patience.spins, 16U);
  patience.sleep_after_ns = 0;
  if (patience.lie_down != nullptr) {
    patience.lie_down = leave_network;
  }
  return patience;
}

/// Who ends a wait: what serves other PEs, or their programs.
enum class EndedBy : bool { kServers, kPrograms };

/// How this thread waits. Of a wait that other PEs' programs end, it does its part in what they may wait for meanwhile;
/// of others not, as threads wait that are not the program's.
sync::Patience patience_here(EndedBy ended_by) noexcept;

/// Lets the network go on until it is so.
///
/// Where it takes long, who goes on with the program leaves the network to the agent, which else would take it for one
/// that looks again soon, and let others wait for that.
template <class Done, class Note = sync::WaitNote>
void wait_until(Done&& done, const Note& note = {}, EndedBy ended_by = EndedBy::kServers) noexcept {
  if (done()) {
    return;
  }
  const job::Node& node = job::node();
  const sync::Patience patience = patience_here(ended_by);
  // Relaxed: it only saves time.
  const bool computes = g_computes.load(std::memory_order_relaxed);
  const std::uint64_t began_ns = computes ? os::now_ns() : 0;
  sync::wait(patience, node.value_bell(node.local), &job::shared_head(node.job).value_sleepers, note, done);
  if (computes) {
    leave_network_behind(began_ns);
  }
}

}  // namespace weft::dsm
