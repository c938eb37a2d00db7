// Collectives that combine data.
#pragma once

#include <mpi.h>

#include "mpi/communicators.hpp"
#include "mpi/ops.hpp"
#include "mpi/parts.hpp"

namespace weft::mpi {

int allreduce(const void* sendbuf, void* recvbuf, MPI_Count count, const Datatype& datatype, const Op& op,
              Comm& comm) noexcept;
int exscan(const void* sendbuf, void* recvbuf, MPI_Count count, const Datatype& datatype, const Op& op,
           Comm& comm) noexcept;
int reduce(const void* sendbuf, void* recvbuf, MPI_Count count, MPI_Datatype datatype, MPI_Op op, int root,
           Comm& comm) noexcept;
int reduce_scatter(const void* sendbuf, void* recvbuf, Numbers recvcounts, const Datatype& datatype, const Op& op,
                   Comm& comm) noexcept;
int reduce_scatter_block(const void* sendbuf, void* recvbuf, MPI_Count recvcount, const Datatype& datatype,
                         const Op& op, Comm& comm) noexcept;
int scan(const void* sendbuf, void* recvbuf, MPI_Count count, const Datatype& datatype, const Op& op,
         Comm& comm) noexcept;

}  // namespace weft::mpi
