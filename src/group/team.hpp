// Teams (OpenSHMEM 1.6, section 9.4): which PEs, how they are numbered, and what this PE keeps of each.
//
// However OpenSHMEM splits a team off, its members are `start + k * stride`: the numbering of a strided part of a
// strided team is strided again, and so are the rows and columns of a grid. So a number is translated by one
// multiplication, and nothing grows with the number of PEs. Who has members in any order gives a table of them
// (group/members.hpp). How members agree on a new team is coll/split.hpp.
#pragma once

#include <array>
#include <cstdint>

#include "base/result.hpp"
#include "boot/job.hpp"
#include "group/domains.hpp"
#include "group/members.hpp"
#include "group/stations.hpp"
#include "group/two_ways.hpp"
#include "sync/barrier.hpp"

namespace weft::group {

inline constexpr std::uint64_t kTeamTag = 0x6d61655474666557;  // "WeftTeam"

/// A non-blocking call under way, in the list of its team. What it does, only those know who make them
/// (coll/ongoing.cpp).
struct PendingCall {
  PendingCall* next = nullptr;
};

inline constexpr int kNoStation = -1;

/// This PE's side of a team it is a member of.
struct Team {
  std::uint64_t tag = 0;  // kTeamTag while there is such a team, where somebody may keep its address too long
  Members members;
  int me = 0;                  // this PE's number in it
  std::uint64_t id = 0;        // the same on all members, and on none of them any other team's
  int slot = kNoStation;       // which station (group/stations.hpp) of each member of the domain is this team's
  Domain here;                 // the members that synchronise through stations: all that are on this node, as a rule
  int seat = 0;                // this PE's number among those
  const Span* span = nullptr;  // null: those are all members
  int* tables = nullptr;       // of `here`, where it needs some and there is no span
  boot::Interface owner{};     // the front end that has made it
  int num_contexts = 0;
  bool steady = false;        // it has a station for as long as it wants
  bool on_demand = false;     // it had none from the beginning, and a non-blocking call may have one of its own
  bool by_processor = false;  // SHARED, or split from it: an atomicity domain of its own
  bool two_copies = false;    // a member may not reach another one's own memory; the same on all of the domain
  // Steps of the collective calls so far, blocking and non-blocking. The same on all members of a domain between calls.
  std::uint64_t step = 0;
  std::uint64_t pending_step = 0;
  std::uint64_t started = 0;   // non-blocking collective calls so far
  std::uint64_t calls = 0;     // blocking collective calls so far, for people
  std::uint64_t made = 0;      // how often teams were split off this one
  std::uint32_t holds = 0;     // who wants a station of one call to be kept until they have done
  std::uint32_t stagings = 0;  // pieces so far that went through the members' stages; the same on all of the domain
  std::uint32_t shows = 0;     // calls so far in which members showed each other words
  std::uint32_t handouts = 0;  // small broadcasts so far; the same on all of the domain
  std::uint32_t streamed = 0;  // pieces so far that a root was ahead with; the same on all of the domain
  std::array<std::uint64_t, kStreamPieces> streamed_at{};  // the step of the last one with each turn, likewise
  // Of calls of twice as many bytes each: broadcasts of which this PE was the root, and reductions of two members.
  std::array<TwoWays, 5> large_broadcasts{};
  std::array<TwoWays, 7> reductions_of_two{};
  std::uint64_t all_came_to = 0;  // a step to which all of the domain have come, as far as this PE has looked
  sync::Barrier barrier;          // of the domain
  // Non-blocking calls that are not complete, in the order of their start.
  PendingCall* first_pending = nullptr;
  PendingCall* last_pending = nullptr;
  Team* next_busy = nullptr;  // of the teams that have such calls
  Team* next = nullptr;
};

inline constexpr int kWorldSlot = 0;
inline constexpr int kPredefinedTeams = 3;  // world, shared, and the set of all

/// The predefined teams, once per job and before the first barrier. In a job of several nodes it is known by then which
/// PEs share one. SHARED are those that share this one; where their numbers are not evenly spaced, an evenly spaced
/// part of them, which with the others of its kind makes up the node.
/// An error: there is no memory for them.
base::Result<void> set_up_teams() noexcept;
/// For the predefined teams and those to come; the same on all PEs.
void set_barrier_kind(sync::BarrierKind kind) noexcept;
Team& world() noexcept;
Team& shared() noexcept;
/// What calls on the active set of all PEs synchronise through where all PEs make them in the same order
/// (job::Node::sets_in_order): it spares them to leave their pSync arrays as they were. No program has its handle.
Team& set_of_all() noexcept;
/// Another one of the same members and id, for calls that come in one order among themselves but not with others
/// (coll/sets.hpp). It has a station that all members have been given.
void set_up_set(Team& set, int slot, std::uint64_t episode) noexcept;

/// Ids: who has given it, the team's first member, and a number of its own. In as few bits as messages have for names
/// (coll/tags.hpp).
inline constexpr int kIdNumberBits = 25;
inline constexpr int kIdPeBits = 20;
constexpr std::uint64_t id_of(int pe, std::uint64_t number) noexcept {
  return static_cast<std::uint64_t>(pe) << kIdNumberBits | number;
}
/// From now on ids have numbers of so few bits: for a front end that has less room for them. Those of teams that exist
/// stay.
void limit_ids(int bits) noexcept;
/// For a team of which this PE is the first member, and of no other team that exists. 0, which is WORLD's: there is
/// none left.
std::uint64_t new_id() noexcept;

inline bool is_predefined(const Team& team) noexcept {
  return (team.id & ((std::uint64_t{1} << kIdNumberBits) - 1)) < kPredefinedTeams;
}

/// A team of this PE. Null without memory. For who asks, a new_id() with it.
Team* new_team(std::uint64_t* id = nullptr) noexcept;
/// Without a station. The team takes over the seats, and keeps the members' table if they have one.
void set_up_team(Team& team, const Members& members, const Seats& seats, std::uint64_t id,
                 boot::Interface owner) noexcept;
/// Both at once. Null without memory.
Team* new_team_of(const Members& members, std::uint64_t id, boot::Interface owner) noexcept;
/// The station that all members of the domain have been given. Steps begin at 0.
void use_station(Team& team, int slot, std::uint64_t episode) noexcept;
/// The members have met: nobody is behind who would look at this one's words.
void give_station_back(Team& team) noexcept;
/// The members have met for the last time. Contexts of the team are the caller's business.
void delete_team(Team& team) noexcept;
/// Of a new_team that was not set up.
void drop_team(Team& team) noexcept;
/// Last finalize of a front end: all that it has made. Those of others stay, and so do the predefined ones.
void delete_all_teams(boot::Interface owner) noexcept;

}  // namespace weft::group
