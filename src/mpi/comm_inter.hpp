// Intercommunicators: two groups, whose members speak with those of the other one.
#pragma once

#include <mpi.h>

#include "mpi/communicators.hpp"
#include "mpi/groups.hpp"

namespace weft::mpi {

/// Parts of the functions that make communicators, where `comm` is an intercommunicator. All members of both groups
/// call them alike. `team` is of the members of `comm`, in their order, and is taken over.
Comm* intercomm_like(const Comm& comm, group::Team* team) noexcept;
int intercomm_create_part(Comm& comm, const Group& group, MPI_Comm* newcomm) noexcept;
int intercomm_split(Comm& comm, int color, int key, MPI_Comm* newcomm) noexcept;

int intercomm_create(Comm& local_comm, int local_leader, MPI_Comm peer_comm, int remote_leader, int tag,
                     MPI_Comm* newintercomm) noexcept;
int intercomm_merge(Comm& intercomm, int high, MPI_Comm* newintracomm) noexcept;

}  // namespace weft::mpi
