#include "dsm/advice.hpp"

#include <algorithm>
#include <mutex>

#include "coll/barrier.hpp"
#include "dsm/counts.hpp"
#include "dsm/elsewhere.hpp"
#include "dsm/order.hpp"
#include "dsm/pages.hpp"
#include "dsm/state.hpp"

namespace weft::dsm {
namespace {

// Those that lie in it, whole or in part.
Run pages_of(const void* at, std::size_t bytes) noexcept {
  const std::uint64_t offset = offset_in_range(at, bytes);
  const auto first = static_cast<std::uint32_t>(offset / kPageBytes);
  return {first, static_cast<std::uint32_t>((offset + bytes - 1) / kPageBytes) - first + 1};
}

}  // namespace

bool lies_in_range(const void* at, std::size_t bytes) noexcept {
  return bytes > 0 && offset_in_range(at, bytes) != kNowhere;
}

bool has_one_memory() noexcept { return g.way == Way::kMemory; }

Told told() noexcept {
  if (g.way == Way::kMemory) {
    return {};
  }
  return {counted(Count::kReadFaults) + counted(Count::kWriteFaults),
          counted(Count::kFetched),
          counted(Count::kPrefetched),
          counted(Count::kRefreshed) + counted(Count::kExpected),
          counted(Count::kTwins),
          counted(Count::kSent),
          counted(Count::kAnnounced),
          counted(Count::kDropped),
          counted(Count::kEvicted),
          g_pages->copies(),
          counted(Count::kMigrations)};
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

std::uint64_t room_of_rest(const void* at) noexcept {
  const std::uint64_t offset = reinterpret_cast<std::uintptr_t>(at) - g.base;
  return g.arena != nullptr ? g.arena->room_behind(offset) : room_behind_elsewhere(offset);
}

void map_homes(const void* block, std::size_t bytes, std::size_t piece, int from, int pes) noexcept {
  const Run run = pages_of(block, bytes);
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
  coll::barrier();  // and no more, as who acquires while others settle would look for homes that are none yet
  g_pages->settle(run.first, run.pages, home_of);
  barrier();
  g_pages->settled();
}

}  // namespace weft::dsm
