// Data of any datatype as a row of bytes and back, in this machine's form or "external32".
#pragma once

#include <mpi.h>

#include <climits>

#include "mpi/communicators.hpp"
#include "mpi/datatypes.hpp"
#include "mpi/errors.hpp"

namespace weft::mpi {

/// One packing or unpacking; sizes and places are as 64 bits here.
struct Packing {
  const void* from;
  void* to;
  MPI_Count count;
  const Datatype* datatype;
  MPI_Count size;      // of the packed buffer
  MPI_Count position;  // in it
};
/// Null as the communicator: an error is the process's. The position is moved.
int pack_row(Watched* on, Packing* packing) noexcept;
int unpack_row(Watched* on, Packing* packing) noexcept;
int pack_row_external(const char* datarep, Packing* packing) noexcept;
int unpack_row_external(const char* datarep, Packing* packing) noexcept;
/// Bytes that are enough. False, with the call's result: it does not fit, or there is no such representation.
bool row_size(Watched* on, MPI_Count count, const Datatype& datatype, MPI_Count* size, int* result) noexcept;
bool external_size(const char* datarep, MPI_Count count, const Datatype& datatype, MPI_Count* size,
                   int* result) noexcept;

/// The result in a variable of the program's type. What does not fit is an error.
template <class N>
int give_number(Watched* on, MPI_Count value, N* into, const char* argument) noexcept {
  if (value != static_cast<MPI_Count>(static_cast<N>(value))) {
    return raise(on, MPI_ERR_VALUE_TOO_LARGE, "%s: %lld does not fit", argument, static_cast<long long>(value));
  }
  *into = static_cast<N>(value);
  return MPI_SUCCESS;
}

template <class N>
int pack(const void* inbuf, N incount, const Datatype& datatype, void* outbuf, N outsize, N* position,
         Comm& comm) noexcept {
  Packing packing{inbuf, outbuf, incount, &datatype, outsize, *position};
  const int code = pack_row(&comm, &packing);
  return code != MPI_SUCCESS ? code : give_number(&comm, packing.position, position, "position");
}
template <class N>
int unpack(const void* inbuf, N insize, N* position, void* outbuf, N outcount, const Datatype& datatype,
           Comm& comm) noexcept {
  Packing packing{inbuf, outbuf, outcount, &datatype, insize, *position};
  const int code = unpack_row(&comm, &packing);
  return code != MPI_SUCCESS ? code : give_number(&comm, packing.position, position, "position");
}
template <class N>
int pack_size(N incount, const Datatype& datatype, Comm& comm, N* size) noexcept {
  MPI_Count bytes = 0;
  int result = MPI_SUCCESS;
  return row_size(&comm, incount, datatype, &bytes, &result) ? give_number(&comm, bytes, size, "size") : result;
}

// Counts are int in the function and MPI_Count in its twin; places are 64 bits in both.
int pack_external(const char* datarep, const void* inbuf, MPI_Count incount, const Datatype& datatype, void* outbuf,
                  MPI_Count outsize, MPI_Count* position) noexcept;
int unpack_external(const char* datarep, const void* inbuf, MPI_Count insize, MPI_Count* position, void* outbuf,
                    MPI_Count outcount, const Datatype& datatype) noexcept;
int pack_external_size(const char* datarep, MPI_Count incount, const Datatype& datatype, MPI_Count* size) noexcept;

}  // namespace weft::mpi
