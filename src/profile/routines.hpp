// The routines by the numbers that a recording has for them.
#pragma once

#include <cstdint>

#include "api/calls.hpp"
#include "profile/recording.hpp"

namespace weft::profile {

/// Differs when the numbers may mean other routines.
constexpr std::uint64_t hash_of_routines() {
  std::uint64_t hash = 0xcbf29ce484222325;
  for (const char letter : api::calls::kNames) {
    hash = (hash ^ static_cast<unsigned char>(letter)) * 0x100000001b3;
  }
  return hash;
}

// Each routine has room for its calls from places that are too many to be told apart.
static_assert(kOwnSites + api::kCalls < kSites);

}  // namespace weft::profile
