// One call of a function of MPI as its wrapper found it. What a function does not have is zero.
#pragma once

#include <mpi.h>

#include "api/mpi/calls.hpp"
#include "api/mpi/ops.hpp"

namespace weft::interpose {

struct MpiInvocation {
  api::mpi::Call call{};
  api::mpi::Op op{};
  MPI_Comm comm = nullptr;          // the first one
  MPI_Comm* changed = nullptr;      // where a new one goes, or the one that is freed stands
  MPI_Datatype datatype = nullptr;  // of the count
  long long count = 0;  // the first one that is one number; of what is sent, or at the target, if there are two
  MPI_Win win = nullptr;
  MPI_Win* made = nullptr;     // where a new one goes, or the one that is freed stands
  int rank = -1;               // in the window
  const void* site = nullptr;  // return address: where the program goes on
};

}  // namespace weft::interpose
