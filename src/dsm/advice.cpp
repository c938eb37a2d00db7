#include "dsm/advice.hpp"

#include <algorithm>
#include <mutex>

#include "base/lines.hpp"
#include "dsm/elsewhere.hpp"
#include "dsm/order.hpp"
#include "dsm/pages.hpp"
#include "dsm/state.hpp"
#include "job/node.hpp"

namespace weft::dsm {
namespace {

// Those that lie in it, whole or in part.
Run pages_of(const void* at, std::size_t bytes) noexcept {
  const std::uint64_t offset = bytes == 0 ? kNowhere : offset_in_range(at, bytes);
  if (offset == kNowhere) {
    base::fail(job::current_call(), "address: %zu bytes at %p do not lie in shared memory", bytes, at);
  }
  const auto first = static_cast<std::uint32_t>(offset / kPageBytes);
  return {first, static_cast<std::uint32_t>((offset + bytes - 1) / kPageBytes) - first + 1};
}

}  // namespace

bool has_one_memory() noexcept { return g.way == Way::kMemory; }

Told told() noexcept {
  if (g.way == Way::kMemory) {
    return {};
  }
  const Counts& counts = g_pages->counts();
  return {counts.faults, counts.fetched,   counts.prefetched, counts.refreshed, counts.twins,
          counts.sent,   counts.announced, counts.dropped,    counts.evicted,   g_pages->copies()};
}

void prefetch(const void* at, std::size_t bytes) noexcept {
  const Run run = pages_of(at, bytes);
  if (g.way == Way::kPages) {
    g_pages->prefetch(run.first, run.pages);
  }
}

void broadcast(const void* at, std::size_t bytes) noexcept {
  const Run run = pages_of(at, bytes);
  barrier();
  if (g.way == Way::kPages) {
    g_pages->prefetch(run.first, run.pages);
  }
  barrier();  // nobody changes them before all have them
}

void renew_by(const void* at, std::size_t bytes, Renewal renewal) noexcept {
  const Run run = pages_of(at, bytes);
  if (g.way == Way::kPages) {
    g_pages->set_renewal(run.first, run.pages, renewal);
  }
}

void map_homes(const void* block, std::size_t bytes, std::size_t piece, int from, int pes) noexcept {
  const Run run = pages_of(block, bytes);
  const std::uint64_t offset = reinterpret_cast<std::uintptr_t>(block) - g.base;
  const std::uint64_t room = g.arena != nullptr ? g.arena->room_behind(offset) : room_behind_elsewhere(offset);
  if (room == 0) {
    base::fail(job::current_call(), "address: nothing is in use at %p; was the block given back?", block);
  }
  if (bytes > room) {
    base::fail(job::current_call(),
               "bytes: %zu from %p on run over the end of the block there, which is %llu bytes away; map each block by "
               "itself",
               bytes, block, static_cast<unsigned long long>(room));
  }
  if (g.way == Way::kMemory) {
    barrier();
    return;
  }
  const HomeOf home_of{static_cast<std::uint32_t>(std::max<std::size_t>((piece + kPageBytes - 1) / kPageBytes, 1)),
                       from, pes};
  // No PE's heartbeat uses homes while they change: each is held before all have met.
  const std::scoped_lock beating(g_pages->beating());
  barrier();  // what was written is at the homes there are
  g_pages->bring_home(run.first, run.pages, home_of);
  barrier();
  g_pages->settle(run.first, run.pages, home_of);
  barrier();
  g_pages->settled();
}

}  // namespace weft::dsm
