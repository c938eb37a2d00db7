// Buffered sends: the process's buffer, and those of communicators.
#pragma once

#include <mpi.h>

#include "mpi/communicators.hpp"
#include "mpi/packing.hpp"
#include "msg/attached.hpp"
#include "msg/request.hpp"

namespace weft::mpi {

/// From the communicator's buffer, or where it has none the process's. MPI_SUCCESS, or an error that was raised.
int send_buffered(Comm& comm, const msg::To& to, const msg::Data& data) noexcept;
/// Waits until what was sent from the communicator's buffer has gone, and gives it up.
void end_buffer(Comm& comm) noexcept;
/// Of the process and of the predefined communicators.
void end_buffers() noexcept;

msg::Attached& process_buffer() noexcept;
int attach_buffer(Watched* on, msg::Attached& to, void* buffer, MPI_Count size) noexcept;
/// The buffer's size in `size`.
int detach_buffer(Watched* on, msg::Attached& from, void* buffer_addr, MPI_Count* size) noexcept;

int buffer_attach(void* buffer, MPI_Count size) noexcept;
template <class N>
int buffer_detach(void* buffer_addr, N* size) noexcept {
  MPI_Count bytes = 0;
  const int code = detach_buffer(nullptr, process_buffer(), buffer_addr, &bytes);
  return code != MPI_SUCCESS ? code : give_number(nullptr, bytes, size, "size");
}
int buffer_flush() noexcept;
int buffer_iflush(MPI_Request* request) noexcept;
int comm_attach_buffer(Comm& comm, void* buffer, MPI_Count size) noexcept;
template <class N>
int comm_detach_buffer(Comm& comm, void* buffer_addr, N* size) noexcept {
  MPI_Count bytes = 0;
  const int code = detach_buffer(&comm, comm.buffer, buffer_addr, &bytes);
  return code != MPI_SUCCESS ? code : give_number(&comm, bytes, size, "size");
}
int comm_flush_buffer(Comm& comm) noexcept;
int comm_iflush_buffer(Comm& comm, MPI_Request* request) noexcept;

}  // namespace weft::mpi
