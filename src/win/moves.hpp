// Data between this process and a member: rows of pieces on both sides.
#pragma once

#include <cstdint>

#include "reach/walk.hpp"
#include "reach/way.hpp"
#include "win/member.hpp"

namespace weft::win {

/// Between pieces of this process and of the member, as many bytes as both have, in the order of both. The member's are
/// addresses as Spot has them, all by one way.
struct Move {
  const reach::Piece* ours;
  std::size_t our_count;
  const reach::Range* theirs;  // Range::offset is the address
  std::size_t their_count;
  const Far* far = nullptr;  // as in Spot
};
/// By the network it is under way when this returns: what is put stays as it is, and what is got is not there, until
/// Far::moves says that it is complete.
reach::Moved put(const Member& member, Way way, const Move& move) noexcept;
reach::Moved get(const Member& member, Way way, const Move& move) noexcept;

/// One piece each.
inline reach::Moved put_one(const Member& member, const Spot& to, const void* from, std::uint64_t bytes) noexcept {
  const reach::Piece ours{const_cast<void*>(from), bytes};
  const reach::Range theirs{reinterpret_cast<std::uintptr_t>(to.at), bytes};
  return put(member, to.way, {&ours, 1, &theirs, 1, to.far});
}
inline reach::Moved get_one(const Member& member, const Spot& from, void* to, std::uint64_t bytes) noexcept {
  const reach::Piece ours{to, bytes};
  const reach::Range theirs{reinterpret_cast<std::uintptr_t>(from.at), bytes};
  return get(member, from.way, {&ours, 1, &theirs, 1, from.far});
}

/// Before others copy from and to this process.
void offer_memory() noexcept;

}  // namespace weft::win
