#include "shmem/teams.hpp"

#include <algorithm>

#include "base/lines.hpp"
#include "coll/ongoing.hpp"
#include "coll/split.hpp"
#include "group/team.hpp"
#include "job/node.hpp"
#include "shmem/checks.hpp"
#include "shmem/contexts.hpp"
#include "shmem/control.hpp"
#include "shmem/team_handles.hpp"

namespace weft::shmem {
namespace {

void need_handle(const shmem_team_t* team, const char* argument) noexcept {
  need_ready();
  if (team == nullptr) [[unlikely]] {
    base::fail(job::current_call(), "%s is NULL; it must point to room for the new team", argument);
  }
}

// Only masked fields are read, so a null configuration with an empty mask is fine.
void need_config(const shmem_team_config_t* config, long mask) noexcept {
  if (config == nullptr && mask != 0) [[unlikely]] {
    base::fail(job::current_call(), "the configuration is NULL but its mask is %ld; pass a configuration, or mask 0",
               mask);
  }
}

// What the user asked for; contexts are not limited by it.
void configure(group::Team* team, const shmem_team_config_t* config, long mask) noexcept {
  if (team != nullptr && (mask & SHMEM_TEAM_NUM_CONTEXTS) != 0) {
    team->num_contexts = config->num_contexts;
  }
}

shmem_team_t handle_or_none(group::Team* team) noexcept {
  return team == nullptr ? SHMEM_TEAM_INVALID : handle_of(*team);
}

bool is_part(int parent_size, int start, int stride, int size) noexcept {
  if (start < 0 || start >= parent_size || size < 1 || size > parent_size || (stride == 0 && size > 1)) {
    return false;
  }
  const long last = start + static_cast<long>(size - 1) * stride;
  return last >= 0 && last < parent_size;
}

}  // namespace

int team_my_pe(shmem_team_t team) noexcept {
  need_ready();
  return team == SHMEM_TEAM_INVALID ? -1 : need_team(team).me;
}

int team_n_pes(shmem_team_t team) noexcept {
  need_ready();
  return team == SHMEM_TEAM_INVALID ? -1 : need_team(team).members.size;
}

int team_get_config(shmem_team_t team, long config_mask, shmem_team_config_t* config) noexcept {
  need_ready();
  if (team == SHMEM_TEAM_INVALID) {
    return 1;
  }
  need_config(config, config_mask);
  const group::Team& asked = need_team(team);
  if ((config_mask & SHMEM_TEAM_NUM_CONTEXTS) != 0) {
    config->num_contexts = asked.num_contexts;
  }
  return 0;
}

int team_translate_pe(shmem_team_t src_team, int src_pe, shmem_team_t dest_team) noexcept {
  need_ready();
  if (src_team == SHMEM_TEAM_INVALID || dest_team == SHMEM_TEAM_INVALID) {
    return -1;
  }
  const group::Members& from = need_team(src_team).members;
  const group::Members& to = need_team(dest_team).members;
  return src_pe < 0 || src_pe >= from.size ? -1 : to.find(from.pe(src_pe));
}

int team_split_strided(shmem_team_t parent_team, int start, int stride, int size, const shmem_team_config_t* config,
                       long config_mask, shmem_team_t* new_team) noexcept {
  need_handle(new_team, "new_team");
  *new_team = SHMEM_TEAM_INVALID;
  if (parent_team == SHMEM_TEAM_INVALID) {
    return 1;
  }
  need_config(config, config_mask);
  group::Team& parent = need_team(parent_team);
  // All PEs of the parent pass the same three numbers, so all turn them down alike.
  if (!is_part(parent.members.size, start, stride, size)) {
    base::debug("%s: start %d, stride %d, size %d do not lie within the %d PEs of the parent", job::current_call(),
                start, stride, size, parent.members.size);
    return 1;
  }
  const group::Members members = parent.members.part(start, stride, size);
  const bool mine = members.find(job::node().me) >= 0;
  group::Team* made = nullptr;
  if (!coll::make_teams(parent, mine ? members : group::Members{}, boot::Interface::kOpenShmem, &made)) {
    return 1;
  }
  configure(made, config, config_mask);
  *new_team = handle_or_none(made);
  return 0;
}

int team_split_2d(shmem_team_t parent_team, int xrange, const shmem_team_config_t* xaxis_config, long xaxis_mask,
                  shmem_team_t* xaxis_team, const shmem_team_config_t* yaxis_config, long yaxis_mask,
                  shmem_team_t* yaxis_team) noexcept {
  need_handle(xaxis_team, "xaxis_team");
  need_handle(yaxis_team, "yaxis_team");
  *xaxis_team = *yaxis_team = SHMEM_TEAM_INVALID;
  if (parent_team == SHMEM_TEAM_INVALID || xrange < 1) {
    return 1;
  }
  need_config(xaxis_config, xaxis_mask);
  need_config(yaxis_config, yaxis_mask);
  group::Team& parent = need_team(parent_team);
  const int n = parent.members.size;
  const int width = std::min(xrange, n);
  const int x = parent.me % width;
  const int y = parent.me / width;
  // The last row may be short, and the columns beyond its end then are.
  const group::Members row = parent.members.part(y * width, 1, std::min(width, n - y * width));
  const group::Members column = parent.members.part(x, width, (n - x + width - 1) / width);
  group::Team* made_row = nullptr;
  group::Team* made_column = nullptr;
  if (!coll::make_teams(parent, row, boot::Interface::kOpenShmem, &made_row)) {
    return 1;
  }
  if (!coll::make_teams(parent, column, boot::Interface::kOpenShmem, &made_column)) {
    coll::discard_team(*made_row);
    return 1;
  }
  configure(made_row, xaxis_config, xaxis_mask);
  configure(made_column, yaxis_config, yaxis_mask);
  *xaxis_team = handle_of(*made_row);
  *yaxis_team = handle_of(*made_column);
  return 0;
}

void team_destroy(shmem_team_t team) noexcept {
  need_ready();
  if (team == SHMEM_TEAM_INVALID) {
    return;
  }
  group::Team& going = need_team(team);
  if (group::is_predefined(going)) {
    base::fail(job::current_call(), "SHMEM_TEAM_%s cannot be destroyed", team == SHMEM_TEAM_WORLD ? "WORLD" : "SHARED");
  }
  if (const int left = coll::unfinished(going); left > 0) [[unlikely]] {
    base::fail(job::current_call(), "%d non-blocking calls of the team are unfinished; wait for them first", left);
  }
  destroy_contexts_of(going);
  coll::destroy_team(going);
}

void* team_ptr(shmem_team_t team, const void* dest, int pe) noexcept {
  need_ready();
  if (team == SHMEM_TEAM_INVALID) {
    return nullptr;
  }
  const group::Members& members = need_team(team).members;
  return pe < 0 || pe >= members.size ? nullptr : address_of_peer(dest, members.pe(pe));
}

}  // namespace weft::shmem
