// Windows: changes of elements at the target.
#pragma once

#include <mpi.h>

#include "mpi/ops.hpp"
#include "mpi/windows.hpp"

namespace weft::mpi {

int accumulate(const void* origin_addr, MPI_Count origin_count, const Datatype& origin_datatype, int target_rank,
               MPI_Aint target_disp, MPI_Count target_count, const Datatype& target_datatype, const Op& op,
               Win& win) noexcept;
int compare_and_swap(const void* origin_addr, const void* compare_addr, void* result_addr, const Datatype& datatype,
                     int target_rank, MPI_Aint target_disp, Win& win) noexcept;
int fetch_and_op(const void* origin_addr, void* result_addr, const Datatype& datatype, int target_rank,
                 MPI_Aint target_disp, const Op& op, Win& win) noexcept;
int get_accumulate(const void* origin_addr, MPI_Count origin_count, const Datatype* origin_datatype, void* result_addr,
                   MPI_Count result_count, const Datatype& result_datatype, int target_rank, MPI_Aint target_disp,
                   MPI_Count target_count, const Datatype& target_datatype, const Op& op, Win& win) noexcept;
int raccumulate(const void* origin_addr, MPI_Count origin_count, const Datatype& origin_datatype, int target_rank,
                MPI_Aint target_disp, MPI_Count target_count, const Datatype& target_datatype, const Op& op, Win& win,
                MPI_Request* request) noexcept;
int rget_accumulate(const void* origin_addr, MPI_Count origin_count, const Datatype* origin_datatype, void* result_addr,
                    MPI_Count result_count, const Datatype& result_datatype, int target_rank, MPI_Aint target_disp,
                    MPI_Count target_count, const Datatype& target_datatype, const Op& op, Win& win,
                    MPI_Request* request) noexcept;

}  // namespace weft::mpi
