// Collectives that move data, and the barrier.
#pragma once

#include <mpi.h>

#include "mpi/communicators.hpp"
#include "mpi/parts.hpp"

namespace weft::mpi {

int allgather(const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void* recvbuf, MPI_Count recvcount,
              const Datatype& recvtype, Comm& comm) noexcept;
int allgatherv(const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void* recvbuf, Numbers recvcounts,
               Numbers displs, const Datatype& recvtype, Comm& comm) noexcept;
int alltoall(const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void* recvbuf, MPI_Count recvcount,
             const Datatype& recvtype, Comm& comm) noexcept;
int alltoallv(const void* sendbuf, Numbers sendcounts, Numbers sdispls, MPI_Datatype sendtype, void* recvbuf,
              Numbers recvcounts, Numbers rdispls, const Datatype& recvtype, Comm& comm) noexcept;
/// Displacements are in bytes.
int alltoallw(const void* sendbuf, Numbers sendcounts, Numbers sdispls, const MPI_Datatype* sendtypes, void* recvbuf,
              Numbers recvcounts, Numbers rdispls, const MPI_Datatype* recvtypes, Comm& comm) noexcept;
int barrier(Comm& comm) noexcept;
int bcast(void* buffer, MPI_Count count, MPI_Datatype datatype, int root, Comm& comm) noexcept;
int gather(const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void* recvbuf, MPI_Count recvcount,
           MPI_Datatype recvtype, int root, Comm& comm) noexcept;
int gatherv(const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void* recvbuf, Numbers recvcounts,
            Numbers displs, MPI_Datatype recvtype, int root, Comm& comm) noexcept;
int scatter(const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void* recvbuf, MPI_Count recvcount,
            MPI_Datatype recvtype, int root, Comm& comm) noexcept;
int scatterv(const void* sendbuf, Numbers sendcounts, Numbers displs, MPI_Datatype sendtype, void* recvbuf,
             MPI_Count recvcount, MPI_Datatype recvtype, int root, Comm& comm) noexcept;

/// What each part of the one goes to, and of the other one comes from; all members of the communicator's team call it.
/// `even`: all parts of all members have the same length.
int exchange(Comm& comm, Parts* to, Parts* from, bool even = false) noexcept;
/// Parts for all members of the communicator's team, of which there are none.
inline Parts no_parts(const Comm& comm) noexcept { return Parts(comm.team->members.size); }

}  // namespace weft::mpi
