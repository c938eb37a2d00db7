// What collectives check of arguments that do not count in each call, or that follow from values.
#pragma once

#include <mpi.h>

#include "mpi/communicators.hpp"
#include "mpi/ops.hpp"
#include "mpi/parts.hpp"

namespace weft::mpi {

/// What the prototype calls a buffer, its count and its datatype.
struct Names {
  const char* buffer;
  const char* count;
  const char* type;
};
inline constexpr Names kSend{"sendbuf", "sendcount", "sendtype"};
inline constexpr Names kReceive{"recvbuf", "recvcount", "recvtype"};

/// Each returns what the call does where something is wrong; `comm` hears of it.
int check_root(Comm& comm, int root) noexcept;
int check_type(Comm& comm, const Names& names, MPI_Datatype handle, const Datatype** found) noexcept;
/// Count, type and address.
int check_buffer(Comm& comm, const Names& names, const Buffer& buffer) noexcept;
int take_buffer(Comm& comm, const Names& names, const void* at, MPI_Count count, MPI_Datatype handle,
                Buffer* taken) noexcept;
/// An array with an entry for each peer, which is there.
int check_array(Comm& comm, const char* name, const void* array) noexcept;
/// Two buffers of a call may not be one.
int check_apart(Comm& comm, const Buffer& sent, const Buffer& received) noexcept;

/// Parts by counts and displacements, which a call has of each peer.
struct Listed {
  const void* at;
  Numbers counts;
  Numbers displs;
  const char* counts_name;
  const char* displs_name;
};
int spread(Comm& comm, const Names& names, const Listed& listed, const Datatype& type, Parts* parts) noexcept;

/// One side of MPI_Alltoallw.
struct Typed {
  const void* at;
  Numbers counts;
  Numbers displs;
  const MPI_Datatype* types;
  bool sends;
};
int spread(Comm& comm, const Typed& typed, Parts* parts) noexcept;

inline bool is_in_place(const void* buffer) noexcept { return buffer == MPI_IN_PLACE; }

}  // namespace weft::mpi
