// Windows: put and get.
#pragma once

#include <mpi.h>

#include "mpi/windows.hpp"

namespace weft::mpi {

int get(void* origin_addr, MPI_Count origin_count, const Datatype& origin_datatype, int target_rank,
        MPI_Aint target_disp, MPI_Count target_count, const Datatype& target_datatype, Win& win) noexcept;
int put(const void* origin_addr, MPI_Count origin_count, const Datatype& origin_datatype, int target_rank,
        MPI_Aint target_disp, MPI_Count target_count, const Datatype& target_datatype, Win& win) noexcept;
int rget(void* origin_addr, MPI_Count origin_count, const Datatype& origin_datatype, int target_rank,
         MPI_Aint target_disp, MPI_Count target_count, const Datatype& target_datatype, Win& win,
         MPI_Request* request) noexcept;
int rput(const void* origin_addr, MPI_Count origin_count, const Datatype& origin_datatype, int target_rank,
         MPI_Aint target_disp, MPI_Count target_count, const Datatype& target_datatype, Win& win,
         MPI_Request* request) noexcept;

}  // namespace weft::mpi
