// The routines that this tool stands before, by the numbers that a recording has for them.
#pragma once

#include <cstddef>
#include <cstdint>

#include "api/calls.hpp"
#include "api/mpi/calls.hpp"
#include "profile/recording.hpp"

namespace weft::profile {

/// boot::Interface's.
inline constexpr std::uint32_t kInterface = 0;  // OpenSHMEM's
inline constexpr std::uint32_t kMpi = 1;
static_assert(static_cast<std::uint32_t>(api::mpi::Call::kNone) >> 24 == kMpi);

/// calls::hash_of an interface; that room's table would be the same names once more in each process that is recorded.
/// Differs when the numbers may mean other routines.
template <std::size_t bytes>
constexpr std::uint64_t hash_of(const char (&names)[bytes]) {
  std::uint64_t hash = 0xcbf29ce484222325;
  for (std::size_t k = 0; k + 1 < bytes; ++k) {  // without the null behind that of the last name
    hash = (hash ^ static_cast<unsigned char>(names[k])) * 0x100000001b3;
  }
  return hash;
}

constexpr std::uint64_t hash_of_routines() { return hash_of(api::calls::kNames); }
constexpr std::uint64_t hash_of_mpi() { return hash_of(api::mpi::calls::kNames); }

// Each routine has room for its calls from places that are too many to be told apart.
static_assert(kOwnSites + api::kCalls + api::mpi::kCalls < kSites);

}  // namespace weft::profile
