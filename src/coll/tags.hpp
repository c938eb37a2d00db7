// What the messages of collectives are named for, in as few bits as every network has for tags.
#pragma once

#include "group/team.hpp"
#include "transport/transport.hpp"

namespace weft::coll {

enum class Named : std::uint8_t { kTeam = 1, kPending, kSetOnHeap, kSetInStatics, kMaking };

inline constexpr int kNameBits = transport::kTagBits - 3;
static_assert(static_cast<int>(Named::kMaking) < 1 << 3);

static_assert(group::kIdNumberBits + group::kIdPeBits <= kNameBits);

/// A team's id, what makes a new team's members find each other, or the distance of a pSync array from the beginning of
/// its memory. Arrays are at least four bytes apart, and addresses of programs have 47 bits, on aarch64 48 at most: of
/// the heap and of static data less.
constexpr transport::Tag named(Named what, std::uint64_t name) noexcept {
  const bool is_set = what == Named::kSetOnHeap || what == Named::kSetInStatics;
  const std::uint64_t short_name = (is_set ? name >> 2 : name) & ((std::uint64_t{1} << kNameBits) - 1);
  return transport::Tag{static_cast<std::uint8_t>(what)} << kNameBits | short_name;
}

}  // namespace weft::coll
