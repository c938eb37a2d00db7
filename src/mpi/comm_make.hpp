// Making and ending communicators.
#pragma once

#include <mpi.h>

#include <cstdint>

#include "mpi/communicators.hpp"
#include "mpi/groups.hpp"
#include "mpi/info.hpp"

namespace weft::mpi {

/// There is no id for one more.
int raise_no_id(Comm& comm) noexcept;
/// A team of these, of which this PE is one, and whose id all of them have agreed on. Null without memory.
group::Team* team_of(const group::Members& members, std::uint64_t id) noexcept;
/// A communicator on the team, which it takes over, with the error handler of `parent`; without a handle. Null without
/// memory, or without a team.
Comm* comm_of(const Comm& parent, group::Team* team) noexcept;
/// Gives an intercommunicator the team of its local group, or discards it where there is none.
Comm* with_local_team(Comm* made, group::Team* local) noexcept;
/// Gives the program what was made; null is one without memory. Returns what the call does.
int give_comm(const Comm& parent, Comm* made, MPI_Comm* newcomm) noexcept;
/// It has no handle, and is gone.
void discard(Comm* made) noexcept;

int comm_create(Comm& comm, const Group& group, MPI_Comm* newcomm) noexcept;
int comm_create_group(Comm& comm, const Group& group, int tag, MPI_Comm* newcomm) noexcept;
int comm_dup(Comm& comm, MPI_Comm* newcomm) noexcept;
int comm_dup_with_info(Comm& comm, const Info* info, MPI_Comm* newcomm) noexcept;
int comm_free(MPI_Comm* comm) noexcept;
int comm_split(Comm& comm, int color, int key, MPI_Comm* newcomm) noexcept;
int comm_split_type(Comm& comm, int split_type, int key, const Info* info, MPI_Comm* newcomm) noexcept;

}  // namespace weft::mpi
