// The short way of small calls of a team whose members are all on this node: one exchange of lines or one meeting, and
// nothing of what a Party has for calls that may take several steps, lack memory, or go over nodes.
//
// What is the same on all members (the team, the length of a call, what people have chosen) decides which way it goes.
#pragma once

#include <cstddef>

#include "coll/collectives.hpp"
#include "group/team.hpp"

namespace weft::coll {

/// As the calls of collectives.hpp, with at least a byte. False: nothing was done, it is a call for the long way.
[[nodiscard]] bool fcollect_shortly(group::Team& team, void* dest, const void* source, std::size_t bytes) noexcept;
[[nodiscard]] bool alltoall_shortly(group::Team& team, const Alltoall& call) noexcept;
[[nodiscard]] bool reduce_shortly(group::Team& team, const Reduce& call) noexcept;

}  // namespace weft::coll
