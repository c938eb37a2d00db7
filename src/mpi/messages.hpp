// Messages from one rank to another: sends of all modes, receives, probes.
#pragma once

#include <mpi.h>

#include "mpi/communicators.hpp"
#include "mpi/datatypes.hpp"
#include "mpi/requests.hpp"
#include "mpi/safe.hpp"

namespace weft::msg {
struct Kept;
}

namespace weft::mpi {

/// A message that a probe has taken out of matching.
struct Message : Object {
  using Handle = MPI_Message;
  static constexpr HandleKind kKind = HandleKind::kMessage;
  Message(Comm& of, msg::Kept* taken) noexcept : comm(&of), kept(taken) { keep(of); }
  ~Message() { drop(*comm); }
  Comm* comm;
  msg::Kept* kept;
};

/// Of a call: MPI_SUCCESS, or its result.
int check_dest(Comm& comm, int dest, int tag) noexcept;
int check_source(Comm& comm, int source, int tag) noexcept;
inline msg::To to_of(const Comm& comm, int dest, int tag, const Memory& memory) noexcept {
  return {comm.context, comm.pe_of(dest), comm.rank, tag, told_signature(*memory.datatype.type, memory.count)};
}
inline msg::From from_of(const Comm& comm, int source, int tag) noexcept {
  return {comm.context, source == MPI_ANY_SOURCE ? -1 : comm.pe_of(source), source, tag, 0};
}

// Counts are int in a function and MPI_Count in its twin.
int send(const void* buf, MPI_Count count, const Datatype& datatype, int dest, int tag, Comm& comm) noexcept;
int ssend(const void* buf, MPI_Count count, const Datatype& datatype, int dest, int tag, Comm& comm) noexcept;
int rsend(const void* buf, MPI_Count count, const Datatype& datatype, int dest, int tag, Comm& comm) noexcept;
int bsend(const void* buf, MPI_Count count, const Datatype& datatype, int dest, int tag, Comm& comm) noexcept;
int recv(void* buf, MPI_Count count, const Datatype& datatype, int source, int tag, Comm& comm,
         MPI_Status* status) noexcept;
int sendrecv(const void* sendbuf, MPI_Count sendcount, const Datatype& sendtype, int dest, int sendtag, void* recvbuf,
             MPI_Count recvcount, const Datatype& recvtype, int source, int recvtag, Comm& comm,
             MPI_Status* status) noexcept;
int sendrecv_replace(void* buf, MPI_Count count, const Datatype& datatype, int dest, int sendtag, int source,
                     int recvtag, Comm& comm, MPI_Status* status) noexcept;

int isend(const void* buf, MPI_Count count, const Datatype& datatype, int dest, int tag, Comm& comm,
          MPI_Request* request) noexcept;
int issend(const void* buf, MPI_Count count, const Datatype& datatype, int dest, int tag, Comm& comm,
           MPI_Request* request) noexcept;
int irsend(const void* buf, MPI_Count count, const Datatype& datatype, int dest, int tag, Comm& comm,
           MPI_Request* request) noexcept;
int ibsend(const void* buf, MPI_Count count, const Datatype& datatype, int dest, int tag, Comm& comm,
           MPI_Request* request) noexcept;
int irecv(void* buf, MPI_Count count, const Datatype& datatype, int source, int tag, Comm& comm,
          MPI_Request* request) noexcept;
int isendrecv(const void* sendbuf, MPI_Count sendcount, const Datatype& sendtype, int dest, int sendtag, void* recvbuf,
              MPI_Count recvcount, const Datatype& recvtype, int source, int recvtag, Comm& comm,
              MPI_Request* request) noexcept;
int isendrecv_replace(void* buf, MPI_Count count, const Datatype& datatype, int dest, int sendtag, int source,
                      int recvtag, Comm& comm, MPI_Request* request) noexcept;

int send_init(const void* buf, MPI_Count count, const Datatype& datatype, int dest, int tag, Comm& comm,
              MPI_Request* request) noexcept;
int ssend_init(const void* buf, MPI_Count count, const Datatype& datatype, int dest, int tag, Comm& comm,
               MPI_Request* request) noexcept;
int rsend_init(const void* buf, MPI_Count count, const Datatype& datatype, int dest, int tag, Comm& comm,
               MPI_Request* request) noexcept;
int bsend_init(const void* buf, MPI_Count count, const Datatype& datatype, int dest, int tag, Comm& comm,
               MPI_Request* request) noexcept;
int recv_init(void* buf, MPI_Count count, const Datatype& datatype, int source, int tag, Comm& comm,
              MPI_Request* request) noexcept;

int probe(int source, int tag, Comm& comm, MPI_Status* status) noexcept;
int iprobe(int source, int tag, Comm& comm, int* flag, MPI_Status* status) noexcept;
int mprobe(int source, int tag, Comm& comm, MPI_Message* message, MPI_Status* status) noexcept;
int improbe(int source, int tag, Comm& comm, int* flag, MPI_Message* message, MPI_Status* status) noexcept;
int mrecv(void* buf, MPI_Count count, const Datatype& datatype, MPI_Message* message, MPI_Status* status) noexcept;
int imrecv(void* buf, MPI_Count count, const Datatype& datatype, MPI_Message* message, MPI_Request* request) noexcept;

}  // namespace weft::mpi
