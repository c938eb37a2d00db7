// Communication contexts (OpenSHMEM 1.6, section 9.5).
//
// On one node every operation is complete when it returns. Between nodes a context counts those of its own that are
// under way. Else it is its team and its place in the list of those that the last shmem_finalize destroys.
#pragma once

#include <cstdint>

#include "group/team.hpp"
#include "rma/target.hpp"
#include "shmem.h"

// Behind the opaque handle of shmem.h, like weft_team.
struct weft_ctx {
  std::uint64_t tag;
};

namespace weft::shmem {

inline constexpr std::uint64_t kContextTag = 0x7478437466655757;  // "WWeftCxt"

/// The fields up to `count` lie where inline bodies in programs look for them (struct weft_ctx_line in weft/inline.h):
/// the team's PEs by their numbers on this node, where they are a progression of its PEs. None of them, `count` is 0,
/// where they are not, and once the context is destroyed.
struct Context : weft_ctx {
  std::uint32_t first = 0;
  std::uint32_t step = 0;
  std::uint32_t count = 0;
  bool by_processor = false;  // atomic operations on those PEs
  group::Team* team = nullptr;
  Context* next = nullptr;
  transport::Pending pending{};
};

/// Zero on success. On failure *ctx is SHMEM_CTX_INVALID.
int create_context(shmem_team_t team, long options, shmem_ctx_t* ctx) noexcept;
void destroy_context(shmem_ctx_t ctx) noexcept;
/// Those of a team that is about to go.
void destroy_contexts_of(const group::Team& team) noexcept;
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

/// What a routine with this context and this PE number is for; the context exists, and the number is one of its team's,
/// or the program ends. Free for the default context, whose numbers are the job's: those are checked where they are
/// used.
rma::Target target_of_slowly(shmem_ctx_t ctx, int pe) noexcept;
inline rma::Target target_of(shmem_ctx_t ctx, int pe) noexcept {
  if (ctx == SHMEM_CTX_DEFAULT) [[likely]] {
    return {pe};
  }
  return target_of_slowly(ctx, pe);
}

/// What counts the operations of a context that exists.
const transport::Pending& pending_of(shmem_ctx_t ctx) noexcept;

}  // namespace weft::shmem
