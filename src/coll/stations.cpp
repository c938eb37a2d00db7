#include "coll/stations.hpp"

#include <mutex>

#include "coll/barrier.hpp"
#include "coll/party.hpp"
#include "group/notes.hpp"
#include "job/node.hpp"

namespace weft::coll {
namespace {

// A blocking call may find that a non-blocking one of another thread, or of its own wait, has just taken the station.
// Never held while this PE waits.
constinit std::mutex g_mutex;

// The bell of a PE that has something to serve.
sync::Doorbell& bell_of(int local) noexcept { return group::station(job::node().job, group::kWorldSlot, local).bell; }

// Caller holds g_mutex, here and below. The leader's: serves a station under the name, if one is free.
bool serve_one(group::Team& team, group::Use use, const group::Name& name) noexcept {
  const int slot = group::claim_station(team.here, use);
  if (slot < 0) {
    return false;
  }
  group::serve(team.here, slot, name, team.id);
  tell_of_station();
  return true;
}

// The team's own, where one has been served.
void find(group::Team& team, const group::Name& name) noexcept {
  if (const int slot = group::served(name); slot >= 0) {
    group::use_station(team, slot, group::accept(slot).episode);
  }
}

// True when the team has a station. The leader takes one; the others find it.
bool take(group::Team& team) noexcept {
  const std::scoped_lock lock(g_mutex);
  if (team.slot >= 0) {
    return true;
  }
  const group::Name name = name_of(Serving::kTeam, team.id);
  if (team.seat == 0 && !serve_one(team, group::Use::kTeam, name) && !serve_one(team, group::Use::kOneCall, name)) {
    return false;
  }
  find(team, name);
  return team.slot >= 0;
}

}  // namespace

void tell_of_station() noexcept {
  // What ring() asks for: stations are taken rarely, and a nap is long.
  std::atomic_thread_fence(std::memory_order_seq_cst);
  sync::ring(bell_of(job::node().local));
}

void need_station(group::Team& team) noexcept {
  if (!take(team)) {
    sync::wait(patience(), bell_of(team.here.local), nullptr,
               sync::WaitNote(group::kMeetingNote<boot::Waiting::kTeam>, &team), [&] { return take(team); });
  }
}

// The leader decides, under the lock that all of its threads take for it: a station that it has served for this call
// was served before one that lasts. So who has that one and then finds none of the call's own knows that there is none.
Turn turn_of(group::Team& team, std::uint64_t number) noexcept {
  if (team.steady && !team.on_demand) [[likely]] {
    return {Turn::At::kTeams};
  }
  const std::scoped_lock lock(g_mutex);
  const group::Name teams = name_of(Serving::kTeam, team.id);
  const group::Name own = name_of(Serving::kPendingCall, team.id, number);
  if (team.slot < 0 && (team.seat != 0 || serve_one(team, group::Use::kTeam, teams))) {
    find(team, teams);
  }
  const bool steady = team.steady;  // before the look below
  if (team.seat != 0 || (!steady && serve_one(team, group::Use::kPendingCall, own))) {
    if (const int slot = group::served(own); slot >= 0) {
      return {Turn::At::kOwn, slot, group::accept(slot).episode};
    }
  }
  // The calls that follow meet at the team's station too.
  team.on_demand = !steady;
  return {steady ? Turn::At::kTeams : Turn::At::kNowhere};
}

void end_call(group::Team& team, Party* still) noexcept {
  if (team.holds > 0) {
    return;
  }
  if (still != nullptr) {
    still->barrier();
  }
  group::give_station_back(team);
}

int await_station(const group::Name& name, int leader, const sync::WaitNote& note) noexcept {
  int slot = group::served(name);
  if (slot < 0) {
    sync::wait(patience(), bell_of(leader), nullptr, note, [&] {
      slot = group::served(name);
      return slot >= 0;
    });
  }
  return slot;
}

StationHold::StationHold(group::Team& team) noexcept : team_(team) {
  if (team.slot < 0) {
    need_station(team);
  }
  ++team.holds;
}

StationHold::~StationHold() noexcept {
  if (--team_.holds == 0 && !team_.steady) {
    team_barrier(team_);
  }
}

}  // namespace weft::coll
