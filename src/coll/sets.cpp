#include "coll/sets.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <mutex>

#include "base/lines.hpp"
#include "coll/stations.hpp"
#include "job/node.hpp"
#include "job/notes.hpp"

namespace weft::coll {
namespace {

// So many arrays have stations. PE 0 counts them, so no other PE has more.
constexpr std::size_t kSets = 64;
constexpr std::size_t kCells = 2 * kSets;  // so that a look ends soon

struct Cell {
  std::atomic<std::uintptr_t> psync;  // 0: it is empty, and so the array one looks for is in none
  group::Team team;
};

constinit std::array<Cell, kCells> g_cells{};
// For who changes cells. Never held while this PE waits.
constinit std::mutex g_mutex;
// PE 0's, under the mutex: how many it has given, and the arrays that were used last and have none, by turns.
constinit std::size_t g_given = 0;
constinit std::array<std::uintptr_t, kCells> g_used{};
constinit std::size_t g_next_used = 0;

std::uintptr_t address_of(const void* psync) noexcept { return reinterpret_cast<std::uintptr_t>(psync); }

// Arrays of a program lie side by side, or a page apart.
std::size_t place_of(std::uintptr_t psync) noexcept {
  return static_cast<std::size_t>(psync * 0x9e3779b97f4a7c15u >> 57) % kCells;
}

// The cell of the array, or the empty one where it would be: half of them are empty.
Cell& cell_of(std::uintptr_t psync) noexcept {
  std::size_t place = place_of(psync);
  for (;; place = (place + 1) % kCells) {
    // Acquire: the team is there.
    const std::uintptr_t theirs = g_cells[place].psync.load(std::memory_order_acquire);
    if (theirs == psync || theirs == 0) {
      return g_cells[place];
    }
  }
}

}  // namespace

group::Team* team_of_set(const group::Members& members, const void* psync) noexcept {
  const job::Node& node = job::node();
  if (members.size != node.n_pes) {
    return nullptr;
  }
  if (node.sets_in_order) [[likely]] {
    return &group::set_of_all();
  }
  Cell& cell = cell_of(address_of(psync));
  // Relaxed: cell_of() has acquired it. Only the call before, which is over, may have put this array there.
  return cell.psync.load(std::memory_order_relaxed) == address_of(psync) ? &cell.team : nullptr;
}

std::uint32_t offer_station(const void* psync) noexcept {
  const std::scoped_lock lock(g_mutex);
  if (g_given == kSets) {
    return kNoOffer;
  }
  auto* const used = std::find(g_used.begin(), g_used.end(), address_of(psync));
  if (used == g_used.end()) {
    g_used[g_next_used++ % kCells] = address_of(psync);
    return kNoOffer;
  }
  const group::Team& all = group::set_of_all();
  const int slot = group::claim_station(all.here, group::Use::kTeam);
  if (slot < 0) {
    return kNoOffer;
  }
  *used = 0;
  ++g_given;
  group::serve(all.here, slot, name_of(Serving::kSet, all.id, address_of(psync)), all.id);
  return static_cast<std::uint32_t>(slot);
}

void take_station(const void* psync, std::uint32_t slot) noexcept {
  const std::scoped_lock lock(g_mutex);
  // It was said by way of the program's own memory.
  if (!group::is_given(slot, name_of(Serving::kSet, group::set_of_all().id).what)) {
    base::fail(job::current_call(),
               "pSync at %p was written to during the call; fill it with SHMEM_SYNC_VALUE on all PEs before its first "
               "use, and let nothing else use it",
               psync);
  }
  Cell& cell = cell_of(address_of(psync));
  const int number = static_cast<int>(slot);
  group::set_up_set(cell.team, number, group::accept(number).episode);
  // Release: who finds the array finds its team.
  cell.psync.store(address_of(psync), std::memory_order_release);
}

void forget_sets() noexcept {
  const std::scoped_lock lock(g_mutex);
  for (Cell& cell : g_cells) {
    // Relaxed, twice: no other thread is in a call any more.
    if (cell.psync.load(std::memory_order_relaxed) != 0) {
      group::give_station_back(cell.team);
      cell.psync.store(0, std::memory_order_relaxed);
    }
  }
  g_given = 0;
  g_used = {};
  g_next_used = 0;
}

}  // namespace weft::coll
