// Functions that the library is to get later.
#pragma once

#include <mpi.h>

#include "api/mpi/calls.hpp"

namespace weft::mpi {

/// MPI_ERR_UNSUPPORTED_OPERATION by the error handler of the communicator, or where there is none of the process. Which
/// function it is, is said when it is called for the first time.
int later(api::mpi::Call call, MPI_Comm comm = MPI_COMM_NULL) noexcept;
/// The same for MPI_T, which calls no error handlers and needs no MPI_Init.
int later_tool(api::mpi::Call call) noexcept;

}  // namespace weft::mpi
