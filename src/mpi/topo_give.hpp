// What grids and graphs have in common: checks, and giving a topology to a new communicator.
#pragma once

#include <mpi.h>

#include <utility>

#include "mpi/topologies.hpp"

namespace weft::mpi {

/// Collective: the ranks below `size` are in a new communicator with this topology, in their order; the others have
/// none.
int give_topology(Comm& comm, int size, Topology&& topology, const Info* info, MPI_Comm* newcomm) noexcept;
/// The same with the ranks that have this color, in the order of their keys.
int give_topology_by(Comm& comm, std::pair<int, int> color_and_key, Topology&& topology, const Info* info,
                     MPI_Comm* newcomm) noexcept;

int check_is_intra(Comm& comm, const char* name) noexcept;
/// Null, and *code is what the call returns, where it has no topology of this kind.
const Topology* topology_of(Comm& comm, int kind, int* code) noexcept;
/// An array of n numbers, which may be null where there are none.
int check_numbers(Comm& comm, const char* name, const void* array, int n) noexcept;
int check_rank(Comm& comm, const char* name, int rank, int size) noexcept;
/// What the program says is as much room as there has to be.
int check_room(Comm& comm, const char* name, int room, std::size_t needed) noexcept;

}  // namespace weft::mpi
