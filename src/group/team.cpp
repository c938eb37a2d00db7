#include "group/team.hpp"

#include <algorithm>
#include <mutex>
#include <new>

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

// Of the ids that this PE has given, the next one's number; and whether they have begun anew, so that it may be that of
// a team which still exists.
constexpr std::uint64_t kFirstNumber = kPredefinedTeams + 1;  // the one before is that of teams being made
constinit std::uint64_t g_next_number = kFirstNumber;
constinit bool g_numbers_again = false;
constinit std::uint64_t g_end_of_numbers = std::uint64_t{1} << kIdNumberBits;

sync::Barrier barrier_of(const Domain& here, int seat, int slot, std::uint64_t episode) noexcept {
  const job::Node& n = job::node();
  Station& first = station(n.job, slot, here.local);
  // Where members have places of a table, distances are from that of the node's first PE.
  Station& from = here.locals == nullptr ? first : station(n.job, slot, 0);
  const int step = here.locals == nullptr ? here.local_step : 1;
  const sync::BarrierShared shared{&first.gate, reinterpret_cast<std::byte*>(&from.flags),
                                   reinterpret_cast<std::byte*>(&from.bell),
                                   step * static_cast<std::ptrdiff_t>(boot::kStationBytes), here.locals};
  return sync::Barrier(shared, seat, here.size, n.barrier_kind, episode);
}

void set_up(Team& team, const Members& members, const Seats& seats, std::uint64_t id) noexcept {
  members.keep();
  team.members = members;
  team.me = members.find(job::node().me);
  team.id = id;
  team.here = seats.here;
  team.seat = seats.seat;
  team.span = seats.span;
  team.tables = seats.tables;
}

bool set_up_predefined(Team& team, const Members& members, int slot) noexcept {
  delete_seats(team.span, team.tables);  // this process was in another job before, as tests are
  team.span = nullptr;
  team.tables = nullptr;
  Seats seats;
  if (!seats_of(members, &seats)) [[unlikely]] {
    return false;
  }
  set_up(team, members, seats, id_of(members.pe(0), static_cast<std::uint64_t>(slot)));
  // Steps go on where the job is started again.
  team.slot = slot;
  team.steady = true;
  team.barrier = barrier_of(team.here, team.seat, slot, 0);
  return true;
}

// All numbers are those of teams that still exist: to try each one would take for ever.
bool none_is_free() noexcept {
  std::uint64_t taken = 0;
  for (const Team* team = g_live; team != nullptr; team = team->next) {
    taken += (team->id >> kIdNumberBits) == static_cast<std::uint64_t>(job::node().me) ? 1 : 0;
  }
  return taken >= g_end_of_numbers - kFirstNumber;
}

bool exists(std::uint64_t id) noexcept {
  for (const Team* team = g_live; team != nullptr; team = team->next) {
    if (team->id == id) {
      return true;
    }
  }
  return false;
}

// Caller holds g_mutex.
std::uint64_t next_id() noexcept {
  if (g_numbers_again && none_is_free()) {
    return 0;
  }
  for (std::uint64_t tried = kFirstNumber; tried < g_end_of_numbers; ++tried) {
    const std::uint64_t id = id_of(job::node().me, g_next_number);
    if (++g_next_number == g_end_of_numbers) {
      g_next_number = kFirstNumber;
      g_numbers_again = true;
    }
    if (!g_numbers_again || !exists(id)) {
      return id;
    }
  }
  return 0;
}

void give_up(Team& team) noexcept {
  delete_seats(team.span, team.tables);
  team.span = nullptr;
  team.tables = nullptr;
  team.members.drop();
  team.members = {};
}

// Caller holds g_mutex.
void keep_for_reuse(Team& team) noexcept {
  team.tag = 0;
  team.next = g_spare;
  g_spare = &team;
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

base::Result<void> set_up_teams() noexcept {
  // Once for a job, whichever front end comes first: barriers are counted from there on.
  if (g_job == job::node().job) {
    return {};
  }
  const Members all{0, 1, job::node().n_pes};
  if (!set_up_predefined(g_world, all, kWorldSlot) ||
      !set_up_predefined(g_shared, even_part(g_world.here, job::node().me), kSharedSlot) ||
      !set_up_predefined(g_set_of_all, all, kSetOfAllSlot)) [[unlikely]] {
    return base::Error::make("no memory for the list of nodes that %d PEs are on", all.size);
  }
  g_shared.by_processor = true;
  set_up_stations(kPredefinedTeams);
  g_job = job::node().job;
  return {};
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

void set_up_set(Team& set, int slot, std::uint64_t episode) noexcept {
  const Team& all = g_set_of_all;
  set = Team{};
  set_up(set, all.members, {all.here, all.seat}, all.id);
  use_station(set, slot, episode);
}

void limit_ids(int bits) noexcept {
  const std::scoped_lock lock(g_mutex);
  g_end_of_numbers = std::uint64_t{1} << std::min(bits, kIdNumberBits);
  if (g_next_number >= g_end_of_numbers) {
    g_next_number = kFirstNumber;
    g_numbers_again = true;
  }
}

std::uint64_t new_id() noexcept {
  const std::scoped_lock lock(g_mutex);
  return next_id();
}

Team* new_team(std::uint64_t* id) noexcept {
  const std::scoped_lock lock(g_mutex);
  if (id != nullptr) {
    *id = next_id();
  }
  if (g_spare == nullptr) {
    return new (std::nothrow) Team;
  }
  Team* team = g_spare;
  g_spare = team->next;
  return team;
}

void set_up_team(Team& team, const Members& members, const Seats& seats, std::uint64_t id,
                 boot::Interface owner) noexcept {
  team = Team{};
  team.owner = owner;
  set_up(team, members, seats, id);
  const std::scoped_lock lock(g_mutex);
  team.tag = kTeamTag;
  team.next = g_live;
  g_live = &team;
}

Team* new_team_of(const Members& members, std::uint64_t id, boot::Interface owner) noexcept {
  Seats seats;
  Team* const team = seats_of(members, &seats) ? new_team() : nullptr;
  if (team == nullptr) [[unlikely]] {
    delete_seats(seats.span, seats.tables);
    return nullptr;
  }
  set_up_team(*team, members, seats, id, owner);
  return team;
}

void use_station(Team& team, int slot, std::uint64_t episode) noexcept {
  team.slot = slot;
  team.steady = !is_spare(slot);
  team.step = 0;
  team.pending_step = 0;
  team.shows = 0;
  team.handouts = 0;
  team.streamed = 0;
  team.streamed_at = {};
  team.all_came_to = 0;
  team.stagings = 0;
  team.barrier = barrier_of(team.here, team.seat, slot, episode);
}

void give_station_back(Team& team) noexcept {
  leave_station(team.slot, team.barrier.episode());
  team.slot = kNoStation;
  team.steady = false;
}

void delete_team(Team& team) noexcept {
  if (team.slot >= 0) {
    give_station_back(team);
  }
  give_up(team);
  const std::scoped_lock lock(g_mutex);
  Team** link = &g_live;
  while (*link != &team) {
    link = &(*link)->next;
  }
  *link = team.next;
  keep_for_reuse(team);
}

void drop_team(Team& team) noexcept {
  give_up(team);
  const std::scoped_lock lock(g_mutex);
  keep_for_reuse(team);
}

void delete_all_teams(boot::Interface owner) noexcept {
  const auto next_of_owner = [owner] {
    const std::scoped_lock lock(g_mutex);
    Team* team = g_live;
    while (team != nullptr && team->owner != owner) {
      team = team->next;
    }
    return team;
  };
  for (Team* team = next_of_owner(); team != nullptr; team = next_of_owner()) {
    delete_team(*team);
  }
}

}  // namespace weft::group
