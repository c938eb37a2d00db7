// What calls on the active set of all PEs go through in place of their pSync arrays.
//
// Where no PE has several threads all make these calls in the same order, and one station serves them all
// (group::set_of_all). Two threads may make two calls at the same time, with two arrays, and on each PE another one
// first. But calls with one array follow each other, in the same order on all PEs. So an array that is used again gets
// a station of its own: when all have met in a call with it, PE 0 says which one, and the next call goes through that.
// One node only.
#pragma once

#include <cstdint>

#include "group/team.hpp"

namespace weft::coll {

/// For calls of these members with this array. Null: through the array.
group::Team* team_of_set(const group::Members& members, const void* psync) noexcept;

inline constexpr std::uint32_t kNoOffer = 0;  // WORLD's, which is no array's

/// By PE 0, while the others wait for it in a call with the array: which station calls with it go through from the next
/// one on. kNoOffer: as before.
std::uint32_t offer_station(const void* psync) noexcept;
/// By each PE, at the end of that call.
void take_station(const void* psync, std::uint32_t slot) noexcept;

/// In the last shmem_finalize, when all have met.
void forget_sets() noexcept;

}  // namespace weft::coll
