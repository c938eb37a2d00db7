// Collectives that OpenSHMEM does not have: rooted, with parts of different lengths, and on buffers that lie anywhere.
//
// Members pull: each lets the others read its source, and each writes its own target alone. So a target may always lie
// anywhere; how a source is reached, the call says. All on teams, whose members make their calls in one order. False:
// there is no memory for it, and nothing has happened (Party::begin()); or, where sources are kShown, a buffer of this
// member's is no memory (Party::missing()). Of the latter the others hear nothing: the call is over for all of them,
// nothing has come to such a target, and what they have from such a source is zeros.
#pragma once

#include <cstddef>
#include <cstdint>

#include "coll/collectives.hpp"

namespace weft::coll {

/// How members read each other's sources; the same on all members in a call.
enum class Reached : std::uint8_t {
  kSymmetric,  // where they are: at the same place in each member's symmetric memory
  kStaged,     // anywhere: piece by piece through the members' stages, which all of a node see
  kShown,      // anywhere: where they are, by one copy from an address that is shown, where that is permitted and worth
               // it (WEFT_COLL_PULL); else as kStaged
};

/// A part for each member, in bytes: where it begins in the buffer of the parts, and how long it is. The lengths are
/// the same on all members, and so are the beginnings in a buffer that others read.
struct Parts {
  const std::size_t* offsets;
  const std::size_t* bytes;

  /// Where the last part ends.
  std::size_t end(int members) const noexcept;
};

/// Member k's source becomes part k of the root's target, or with kToAll of everybody's. It may lie there already.
inline constexpr int kToAll = -1;
struct Gather {
  void* dest;
  const void* source;
  Parts parts;
  int root;
  Reached reached;
};
[[nodiscard]] bool gather(Party& party, const Gather& call) noexcept;

/// Part k of the root's source becomes member k's target. The root's may lie there already.
struct Scatter {
  void* dest;
  const void* source;
  Parts parts;
  int root;
  Reached reached;
};
[[nodiscard]] bool scatter(Party& party, const Scatter& call) noexcept;

/// The root's source becomes everybody's target, also its own.
[[nodiscard]] bool broadcast_from(Party& party, const Broadcast& call, Reached reached) noexcept;

/// Part k of this member's source goes to member k, whose `from` says the same length for this member. Each member
/// knows its own two tables only. dest may be source, on all members, and the tables then are one.
struct Exchange {
  void* dest;
  const void* source;
  Parts to;
  Parts from;
  Reached reached;
  bool even = false;  // all members know all tables `to`: every part has the same length and lies behind the one before
};
[[nodiscard]] bool exchange_parts(Party& party, const Exchange& call) noexcept;

/// Combined in the order of the members, as collectives.hpp says of Reduce. dest may be source on all members.
[[nodiscard]] bool reduce_to(Party& party, const Reduce& call, int root, Reached reached) noexcept;  // kToAll: all
/// Member k gets the combination of `counts[k]` elements, those behind the ones of the members before it; dest may be
/// the beginning of source on all members.
[[nodiscard]] bool reduce_scatter(Party& party, const Reduce& call, const std::size_t* counts,
                                  Reached reached) noexcept;
/// Exclusive: what member 0 gets is zeros.
[[nodiscard]] bool scan_over(Party& party, const Scan& call, Reached reached) noexcept;

}  // namespace weft::coll
