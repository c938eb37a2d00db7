// Duplicates of communicators that are made while the program goes on.
#pragma once

#include <mpi.h>

#include "mpi/communicators.hpp"
#include "mpi/info.hpp"

namespace weft::mpi {

int comm_idup(Comm& comm, MPI_Comm* newcomm, MPI_Request* request) noexcept;
int comm_idup_with_info(Comm& comm, const Info* info, MPI_Comm* newcomm, MPI_Request* request) noexcept;

}  // namespace weft::mpi
