// When teams have stations (group/stations.hpp). One that was split off has its own from the beginning. One that its
// members have made takes one when a collective call first wants it, and keeps it until the team ends. Where none is
// free each call has one of a few spare ones for itself.
#pragma once

#include "group/stations.hpp"
#include "group/team.hpp"

namespace weft::coll {

class Party;

/// What a station's name is about; in the highest bits of its first word, above a team's id.
enum class Serving : std::uint8_t { kTeam = 1, kSplit, kMaking, kPendingCall, kSet };
constexpr group::Name name_of(Serving what, std::uint64_t id, std::uint64_t which = 0) noexcept {
  return {static_cast<std::uint64_t>(what) << 60 | id, which};
}

/// All members of the domain call it, in a blocking call: waits until the team has a station.
void need_station(group::Team& team) noexcept;
/// Where a non-blocking call meets: at the team's station, which lasts then; at one of its own, where the team found
/// none; or there is none of these yet either, and it waits its turn.
struct Turn {
  enum class At : std::uint8_t { kNowhere, kTeams, kOwn } at;
  int slot = -1;           // its own
  std::uint64_t base = 0;  // that steps are counted from there
};
/// All members of the domain call it for their team's call of this number until it is somewhere; they find the same.
Turn turn_of(group::Team& team, std::uint64_t number) noexcept;
/// The team's station is one for a call, which is over. `still` are the members when they have not met since any of
/// them looked at another one's words.
void end_call(group::Team& team, Party* still) noexcept;
/// The leader has served something, for which others may be waiting.
void tell_of_station() noexcept;

/// Several calls, and words of the station between them, are one.
class StationHold {
 public:
  explicit StationHold(group::Team& team) noexcept;
  ~StationHold() noexcept;
  StationHold(const StationHold&) = delete;
  StationHold& operator=(const StationHold&) = delete;

 private:
  group::Team& team_;
};

/// Waits, with `note`, until this PE has been given a station under that name by PE `leader` of this node.
int await_station(const group::Name& name, int leader, const sync::WaitNote& note) noexcept;

}  // namespace weft::coll
