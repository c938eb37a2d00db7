// Communication contexts (OpenSHMEM 1.6, section 9.5) and the handles of the standard's predefined objects.
//
// On one node every operation is complete when it returns, so a context holds no pending work: it is its team, its
// options and its place in the list of those that the last shmem_finalize destroys.
#pragma once

#include <pthread.h>

#include <cstdint>

#include "shmem.h"

// Behind the opaque handles of shmem.h. Programs hold their addresses as link-time constants and a program at a fixed
// address may hold a copy of the object itself (a copy relocation), so the exported objects never change size.
struct weft_team {
  std::uint64_t tag;
};
struct weft_ctx {
  std::uint64_t tag;
};

namespace weft::rma {

inline constexpr std::uint64_t kTeamTag = 0x6d61655474666557;     // "WeftTeam"
inline constexpr std::uint64_t kContextTag = 0x7478437466655757;  // "WWeftCxt"

struct Context : weft_ctx {
  shmem_team_t team;
  long options;
  pthread_t creator;
  Context* next;
};

/// Zero on success. On failure *ctx is SHMEM_CTX_INVALID.
int create_context(shmem_team_t team, long options, shmem_ctx_t* ctx) noexcept;
void destroy_context(shmem_ctx_t ctx) noexcept;
void destroy_all_contexts() noexcept;

/// SHMEM_TEAM_INVALID for SHMEM_CTX_INVALID.
shmem_team_t team_of(shmem_ctx_t ctx) noexcept;

/// The context exists, or the program ends. Free for the default context.
void need_context_slowly(shmem_ctx_t ctx) noexcept;
inline void need_context(shmem_ctx_t ctx) noexcept {
  if (ctx != SHMEM_CTX_DEFAULT) [[unlikely]] {
    need_context_slowly(ctx);
  }
}

}  // namespace weft::rma
