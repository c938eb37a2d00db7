// Barriers over the job and over teams (OpenSHMEM 1.6, sections 9.10.1 to 9.10.4).
#pragma once

#include "boot/job.hpp"
#include "coll/party.hpp"
#include "group/team.hpp"
#include "sync/waiter.hpp"

namespace weft::coll {

/// All PEs have arrived, and everything each did before is visible to all. Those that sleep in a wait for a value are
/// woken, as after a quiet.
void barrier() noexcept;
/// The same in shmem_init and shmem_finalize.
void meet_at_init() noexcept;
void meet_at_finalize() noexcept;

/// The same for the members of a team, as a call of the program.
void team_barrier(group::Team& team) noexcept;
/// The members of a team's domain, as a part of another call, which `note` tells people about.
void meet_here(group::Team& team, const sync::WaitNote& note) noexcept;
/// All members of a party, as the call that it is. False: see Party::begin().
[[nodiscard]] bool meet(Party& party) noexcept;

/// How collectives wait. Who ends such a wait rings after a full fence, so no sleep has to end by itself.
sync::Patience patience() noexcept;

}  // namespace weft::coll
