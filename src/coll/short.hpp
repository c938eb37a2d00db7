// The short way of small calls of a team whose members are all on this node: an exchange of lines or one meeting, and
// nothing of what a Party has for calls that may take several steps, lack memory, or go over nodes.
//
// What is the same on all members (the team, the length of a call, what people have chosen) decides which way it goes.
#pragma once

#include <cstddef>

#include "coll/collectives.hpp"
#include "group/stations.hpp"
#include "group/team.hpp"

namespace weft::coll {

/// As the calls of collectives.hpp, with at least a byte. False: nothing was done, it is a call for the long way.
[[nodiscard]] bool fcollect_shortly(group::Team& team, void* dest, const void* source, std::size_t bytes) noexcept;
[[nodiscard]] bool alltoall_shortly(group::Team& team, const Alltoall& call) noexcept;
[[nodiscard]] bool reduce_shortly(group::Team& team, const Reduce& call) noexcept;

/// Calls on buffers that lie anywhere (coll/forms.hpp) of which each member shows at most so many bytes, the same on
/// all members, in lines of its station. Others are for a Party.
inline constexpr std::size_t kMostInLines = group::kWordsOfLines * sizeof(std::uint64_t);
inline constexpr int kMostMembersInLines = 16;  // each looks at each
[[nodiscard]] bool goes_in_lines(const group::Team& team, std::size_t bytes) noexcept;
/// Member k's source of `bytes` becomes block k of everybody's target. It may lie there already.
void gather_in_lines(group::Team& team, void* dest, const void* source, std::size_t bytes) noexcept;
/// Block k of member i's source becomes block i of member k's target, each of `bytes`: all of a source is shown but for
/// its member's own block. dest may be source.
[[nodiscard]] bool exchanges_in_lines(const group::Team& team, std::size_t bytes) noexcept;
inline constexpr std::size_t kMostExchangedInLines = 2 * kMostInLines;  // of two members, all blocks together
void exchange_in_lines(group::Team& team, void* dest, const void* source, std::size_t bytes) noexcept;
/// Everybody gets the combination, in the order of the members. dest may be source.
void reduce_in_lines(group::Team& team, const Reduce& call) noexcept;

}  // namespace weft::coll
