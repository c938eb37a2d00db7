// A long source of one of two members, which otherwise only waits for the other one to copy it: each copies a half
// (record 0156).
#pragma once

#include <cstddef>

#include "coll/forms.hpp"

namespace weft::coll {

/// Whether a broadcast goes so; the same on both members.
bool goes_in_halves(const Party& party, std::size_t bytes, Reached reached) noexcept;

/// Of one of them the bytes at `at` become those at the other one's. False, on both: they have not, as the memory of
/// one cannot be had by the other.
[[nodiscard]] bool broadcast_in_halves(Party& party, void* at, std::size_t bytes, bool offers) noexcept;

}  // namespace weft::coll
