// The handles of teams that programs hold.
#pragma once

#include <cstdint>

#include "group/team.hpp"
#include "shmem.h"

// Behind the opaque handle of shmem.h. Programs hold the addresses of the predefined ones as link-time constants, and a
// program at a fixed address may hold a copy of the object itself (a copy relocation), so the exported objects never
// change size. All others are group::Team, which begins with the same word.
struct weft_team {
  std::uint64_t tag;
};

namespace weft::shmem {

/// The team exists and this PE is a member, or the program ends with a line that says what is wrong.
group::Team& need_team(shmem_team_t team) noexcept;
shmem_team_t handle_of(group::Team& team) noexcept;

}  // namespace weft::shmem
