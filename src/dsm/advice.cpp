#include "dsm/advice.hpp"

#include <algorithm>
#include <mutex>

#include "base/lines.hpp"
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

void tell_counts(const char* members) noexcept {
  if (has_one_memory()) {
    base::say(nullptr, "shared pages: all %s have one memory, so none was moved", members);
    return;
  }
  const Told told = dsm::told();
  const auto number = [](std::uint64_t count) noexcept { return static_cast<unsigned long long>(count); };
  base::say(
      nullptr,
      "shared pages: %llu faults; %llu pages came by them, %llu by prefetching, %llu were refreshed; %llu twins, %llu "
      "pages whose changes went home, %llu pages moved here, %llu runs announced; %llu copies dropped, %llu evicted",
      number(told.faults), number(told.fetched), number(told.prefetched), number(told.refreshed), number(told.twins),
      number(told.sent), number(told.migrations), number(told.announced), number(told.dropped), number(told.evicted));
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
  const std::uint64_t pages = std::max<std::uint64_t>((std::uint64_t{piece} + kPageBytes - 1) / kPageBytes, 1);
  const auto* const first_page =
      reinterpret_cast<const void*>(reinterpret_cast<std::uintptr_t>(block) / kPageBytes * kPageBytes);
  map_pieces(first_page, bytes + (reinterpret_cast<std::uintptr_t>(block) % kPageBytes),
             {.period = UINT64_MAX, .piece = pages * kPageBytes, .from = from, .pes = pes});
}

void map_pieces(const void* array, std::size_t bytes, const Pieces& pieces) noexcept {
  const Run run = pages_of(array, bytes);
  if (g.way == Way::kMemory) {
    barrier();
    return;
  }
  const Homed homed{offset_in_range(array, bytes) % kPageBytes, bytes, pieces};
  // No PE's heartbeat uses homes while they change: each is held before all have met.
  const std::scoped_lock beating(g_pages->beating());
  barrier();  // what was written is at the homes there are
  g_pages->bring_home(run.first, run.pages, homed);
  coll::barrier();  // and no more, as who acquires while others settle would look for homes that are none yet
  g_pages->settle(run.first, run.pages, homed);
  barrier();
  g_pages->settled();
}

bool is_pinned(const void* at, std::size_t bytes) noexcept {
  const Run run = pages_of(at, bytes);
  return g.way == Way::kPages && g_pages->has_pinned(run.first, run.pages);
}

}  // namespace weft::dsm
