#include "shmem/team_handles.hpp"

#include <cstddef>
#include <type_traits>

#include "base/lines.hpp"
#include "shmem/checks.hpp"

extern "C" {
// Exported. Only their addresses mean anything.
[[gnu::visibility("default")]] weft_team weft_team_world = {weft::group::kTeamTag};
[[gnu::visibility("default")]] weft_team weft_team_shared = {weft::group::kTeamTag};
}

namespace weft::shmem {

static_assert(std::is_standard_layout_v<group::Team> && offsetof(group::Team, tag) == 0);

group::Team& need_team(shmem_team_t team) noexcept {
  need_ready();
  if (team == SHMEM_TEAM_WORLD) {
    return group::world();
  }
  if (team == SHMEM_TEAM_SHARED) {
    return group::shared();
  }
  if (team == SHMEM_TEAM_INVALID) [[unlikely]] {
    base::fail(job::current_call(),
               "the team is SHMEM_TEAM_INVALID; this PE is no member of it, or its creation failed");
  }
  auto& found = *reinterpret_cast<group::Team*>(team);
  if (found.tag != group::kTeamTag) [[unlikely]] {
    base::fail(job::current_call(), "the team at %p does not exist; it was destroyed or never created",
               static_cast<const void*>(team));
  }
  return found;
}

shmem_team_t handle_of(group::Team& team) noexcept {
  return &team == &group::world()    ? SHMEM_TEAM_WORLD
         : &team == &group::shared() ? SHMEM_TEAM_SHARED
                                     : reinterpret_cast<shmem_team_t>(&team);
}

}  // namespace weft::shmem
