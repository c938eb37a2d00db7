#include "coll/stations.hpp"

#include <mutex>

#include "base/lines.hpp"
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

// True when the team has a station. The leader takes one; the others find it.
bool take(group::Team& team, bool lasting) noexcept {
  const std::scoped_lock lock(g_mutex);
  if (team.slot >= 0) {
    return true;
  }
  const group::Name name = name_of(Serving::kTeam, team.id);
  if (team.seat == 0) {
    int slot = group::claim_station(team.here, group::Use::kTeam);
    if (slot < 0 && lasting) [[unlikely]] {
      base::fail(job::current_call(),
                 "%d teams of a PE have stations, and none is left for a non-blocking call of another; free some first",
                 boot::kTeamSlots);
    }
    if (slot < 0) {
      slot = group::claim_station(team.here, group::Use::kOneCall);
    }
    if (slot < 0) {
      return false;
    }
    group::serve(team.here, slot, name, team.id);
    tell_of_station();
  }
  const int slot = group::served(name);
  if (slot < 0) {
    return false;
  }
  group::use_station(team, slot, group::accept(slot).episode);
  return true;
}

}  // namespace

void tell_of_station() noexcept {
  // What ring() asks for: stations are taken rarely, and a nap is long.
  std::atomic_thread_fence(std::memory_order_seq_cst);
  sync::ring(bell_of(job::node().local));
}

void need_station(group::Team& team) noexcept {
  if (!take(team, false)) {
    sync::wait(patience(), bell_of(team.here.local), nullptr,
               sync::WaitNote(group::kMeetingNote<boot::Waiting::kTeam>, &team), [&] { return take(team, false); });
  }
}

// While a blocking call has a station for itself the other one has to wait: the team's next one lasts.
bool has_lasting_station(group::Team& team) noexcept { return team.steady || (take(team, true) && team.steady); }

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
