#include "group/team.hpp"

#include <array>
#include <atomic>
#include <mutex>
#include <new>
#include <utility>

#include "group/stations.hpp"
#include "job/node.hpp"

namespace weft::group {
namespace {

constexpr int kSharedSlot = 1;
constexpr int kSetOfAllSlot = 2;
static_assert(kSetOfAllSlot == kPredefinedTeams - 1);

constinit Team g_world{};
constinit Team g_shared{};
constinit Team g_set_of_all{};
constinit const boot::JobHeader* g_job = nullptr;  // that they are set up for

// Deleted teams are kept for reuse and never given back to malloc: a handle used after its team was destroyed finds a
// cleared tag, until the object serves another team, and never somebody else's memory.
constinit std::mutex g_mutex;
constinit Team* g_live = nullptr;
constinit Team* g_spare = nullptr;

// Threads of this PE may split different teams at the same time, so a slot is taken by the one that sets its bit.
constinit std::array<std::atomic<std::uint64_t>, boot::kTeamSlots / 64> g_taken{};

constexpr std::uint64_t bit_of(int slot) { return std::uint64_t{1} << (slot % 64); }

sync::Barrier barrier_of(const Seats& seats, int slot, std::uint64_t episode) noexcept {
  const job::Node& n = job::node();
  Station& first = station(n.job, slot, seats.here.local);
  // Where members have places of a table, distances are from that of the node's first PE.
  Station& from = seats.here.locals == nullptr ? first : station(n.job, slot, 0);
  const int step = seats.here.locals == nullptr ? seats.here.local_step : 1;
  const sync::BarrierShared shared{&first.gate, reinterpret_cast<std::byte*>(&from.flags),
                                   reinterpret_cast<std::byte*>(&from.bell),
                                   step * static_cast<std::ptrdiff_t>(boot::kStationBytes), seats.here.locals};
  return sync::Barrier(shared, seats.seat, seats.here.size, n.barrier_kind, episode);
}

void set_up(Team& team, const Members& members, const Seats& seats, int slot, std::uint64_t episode) noexcept {
  team.members = members;
  team.me = members.find(job::node().me);
  team.slot = slot;
  team.here = seats.here;
  team.seat = seats.seat;
  team.span = seats.span;
  team.tables = seats.tables;
  team.barrier = barrier_of(seats, slot, episode);
}

void set_up_predefined(Team& team, const Members& members, int slot) noexcept {
  delete_seats(team.span, team.tables);  // this process was in another job before, as tests are
  set_up(team, members, seats_of(members), slot, 0);
}

// What a later team in this slot must not count from: the words there hold up to this much.
void leave_station(const Team& team) noexcept {
  Station& mine = station(job::node().job, team.slot, job::node().local);
  // Relaxed: other members read them after the barrier in which they agree on this slot.
  mine.split.episode.store(team.barrier.episode(), std::memory_order_relaxed);
}

// SHARED stays a progression, as all of OpenSHMEM's teams: programs and tools reckon with that. Where the members of
// WORLD on this node are not one, they are divided into as many as it takes, from the first one on.
Members even_part(const Domain& here, int me) noexcept {
  if (here.members == nullptr) {
    return {here.first, here.step, here.size};
  }
  Members part;
  for (int seat = 0; seat < here.size; seat += part.size) {
    part = {here.members[seat], 1, 1};
    if (seat + 1 < here.size) {
      part.stride = here.members[seat + 1] - part.start;
      while (seat + part.size < here.size && here.members[seat + part.size] == part.pe(part.size)) {
        ++part.size;
      }
    }
    if (part.find(me) >= 0) {
      break;
    }
  }
  return part;
}

}  // namespace

void set_up_teams() noexcept {
  // Once for a job, whichever front end comes first: barriers are counted from there on.
  if (std::exchange(g_job, job::node().job) == job::node().job) {
    return;
  }
  const Members all{0, 1, job::node().n_pes};
  set_up_predefined(g_world, all, kWorldSlot);
  set_up_predefined(g_shared, even_part(g_world.here, job::node().me), kSharedSlot);
  g_shared.by_processor = true;
  set_up_predefined(g_set_of_all, all, kSetOfAllSlot);
  g_taken[0].store(bit_of(kPredefinedTeams) - 1, std::memory_order_relaxed);
}

void set_barrier_kind(sync::BarrierKind kind) noexcept {
  job::node().barrier_kind = kind;
  g_world.barrier.set_kind(kind);
  g_shared.barrier.set_kind(kind);
  g_set_of_all.barrier.set_kind(kind);
}

Team& world() noexcept { return g_world; }
Team& shared() noexcept { return g_shared; }
Team& set_of_all() noexcept { return g_set_of_all; }

bool take_slot(int slot) noexcept {
  // Acquire: what the last team in this slot left there is this thread's to read.
  const std::uint64_t before =
      g_taken[static_cast<std::size_t>(slot / 64)].fetch_or(bit_of(slot), std::memory_order_acquire);
  return (before & bit_of(slot)) == 0;
}

void give_slot_back(int slot) noexcept {
  // Release: pairs with take_slot.
  g_taken[static_cast<std::size_t>(slot / 64)].fetch_and(~bit_of(slot), std::memory_order_release);
}

void clear_steps(int slot) noexcept {
  Station& mine = station(job::node().job, slot, job::node().local);
  // Relaxed: nobody looks now. Who looked was in a collective call of the slot's last team, whose members have met
  // since; who will look meets this PE before.
  for (Meeting* meeting : {&mine.meeting, &mine.pending}) {
    meeting->step.store(0, std::memory_order_relaxed);
    for (Shown& shown : meeting->shown) {
      shown.step.store(0, std::memory_order_relaxed);
    }
  }
}

std::uint64_t taken_slots(int word) noexcept {
  // Relaxed: a hint. Who takes the slot is decided by take_slot.
  return g_taken[static_cast<std::size_t>(word)].load(std::memory_order_relaxed);
}

Team* new_team() noexcept {
  const std::scoped_lock lock(g_mutex);
  if (g_spare == nullptr) {
    return new (std::nothrow) Team;
  }
  Team* team = g_spare;
  g_spare = team->next;
  return team;
}

void set_up_team(Team& team, const Members& members, const Seats& seats, int slot, std::uint64_t episode) noexcept {
  team = Team{};
  set_up(team, members, seats, slot, episode);
  const std::scoped_lock lock(g_mutex);
  team.tag = kTeamTag;
  team.next = g_live;
  g_live = &team;
}

void delete_team(Team& team) noexcept {
  {
    const std::scoped_lock lock(g_mutex);
    Team** link = &g_live;
    while (*link != &team) {
      link = &(*link)->next;
    }
    *link = team.next;
  }
  leave_station(team);
  give_slot_back(team.slot);
  drop_team(team);
}

void drop_team(Team& team) noexcept {
  delete_seats(team.span, team.tables);
  team.span = nullptr;
  team.tables = nullptr;
  team.members.drop();
  team.members = {};
  const std::scoped_lock lock(g_mutex);
  team.tag = 0;
  team.next = g_spare;
  g_spare = &team;
}

void delete_all_teams() noexcept {
  while (g_live != nullptr) {
    delete_team(*g_live);
  }
}

}  // namespace weft::group
