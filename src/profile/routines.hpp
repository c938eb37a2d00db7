// The routines that this tool stands before, by the numbers that a recording has for them.
#pragma once

#include <cstddef>
#include <cstdint>

#include "api/calls.hpp"
#include "profile/recording.hpp"

namespace weft::profile {

/// boot::Interface::kOpenShmem.
inline constexpr std::uint32_t kInterface = 0;

/// calls::hash_of the interface; that room's table would be the same names once more in each process that is recorded.
/// Differs when the numbers may mean other routines.
constexpr std::uint64_t hash_of_routines() {
  std::uint64_t hash = 0xcbf29ce484222325;
  for (std::size_t k = 0; k + 1 < sizeof api::calls::kNames; ++k) {  // without the null behind that of the last name
    hash = (hash ^ static_cast<unsigned char>(api::calls::kNames[k])) * 0x100000001b3;
  }
  return hash;
}

// Each routine has room for its calls from places that are too many to be told apart.
static_assert(kOwnSites + api::kCalls < kSites);

}  // namespace weft::profile
