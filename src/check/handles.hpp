// Handles of teams and contexts. The program gets handles of safe mode's own, each for one team or context and never
// used again: so one that is used after its end is recognised, whatever was made since.
#pragma once

#include <cstdint>

#include "check/agreement.hpp"
#include "check/report.hpp"
#include "shmem.h"

namespace weft::check {

/// What libweft.so calls a handle of the program. The predefined ones are the same, such as are none the invalid ones.
shmem_team_t real(shmem_team_t team) noexcept;
shmem_ctx_t real(shmem_ctx_t ctx) noexcept;
template <class Argument>
Argument real(Argument argument) noexcept {
  return argument;
}

/// The handles of a call exist, or it is reported.
void check_handles(const Invocation& call) noexcept;
/// A new team or context: its handle in *made becomes one of safe mode's. The name is the same on all PEs of the
/// parent.
void made_team(void* made, std::uint64_t name) noexcept;
void made_context(const Invocation& call) noexcept;
/// shmem_ctx_get_team has written a handle of libweft.so.
void told_team(const Invocation& call) noexcept;
void ended_team(const Invocation& call) noexcept;
void ended_context(const Invocation& call) noexcept;

/// The members of a team of the program's, this PE among them.
SetOfPes members_of(shmem_team_t team) noexcept;
/// What its next children are named by: the same on all members.
std::uint64_t next_name(shmem_team_t parent) noexcept;
/// The PE of the job that `pe` is for the context.
int world_pe(shmem_ctx_t ctx, int pe) noexcept;

/// Last finalize: notes what there are many of and were never destroyed, and forgets all.
void close_handles() noexcept;

}  // namespace weft::check
