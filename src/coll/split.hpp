// Making and ending teams.
#pragma once

#include "group/team.hpp"

namespace weft::coll {

/// All members of `parent` call it, each with the members of the new team it will be in, or with none (size 0). The new
/// team keeps a table of its members. (OpenSHMEM 1.6, sections 9.4.6 to 9.4.8.)
/// On success *made is this PE's side of its new team, or null where it is in none, and the team may be used at once.
/// All members of the parent get the same answer; on failure nothing was made.
bool make_teams(group::Team& parent, const group::Members& members, boot::Interface owner, group::Team** made) noexcept;

/// The members, and nobody else, call it; they find each other by who they are, the id of a team that they are in, and
/// a tag, by which threads tell apart teams of the same members that they make at a time. The team has no station
/// before a collective call wants one, so there may be thousands.
enum class Making : std::uint8_t {
  kDone,
  kNoMemory,  // on this PE, which has said nothing: the others wait until it calls again
  kTooMany,   // on all members: the first one is the first of too many teams
};
[[nodiscard]] Making make_team_of(const group::Members& members, std::uint64_t parent, std::uint64_t tag,
                                  boot::Interface owner, group::Team** made) noexcept;

/// All members call it, when none of their non-blocking calls is unfinished.
void destroy_team(group::Team& team) noexcept;

/// A team that was made a moment ago and that nobody has used.
void discard_team(group::Team& team) noexcept;

}  // namespace weft::coll
