// Messages whose calls return when they are through.
#include "mpi/messages.hpp"

#include <memory>
#include <new>
#include <optional>

#include "mpi/buffers.hpp"
#include "msg/messages.hpp"

namespace weft::mpi {
namespace {

int send_by(const Memory& memory, int dest, int tag, Comm& comm, msg::Mode mode) noexcept {
  int code = check_dest(comm, dest, tag);
  if (code == MPI_SUCCESS) {
    code = check_memory(comm, memory);
  }
  if (code != MPI_SUCCESS || dest == MPI_PROC_NULL) [[unlikely]] {
    return code;
  }
  std::optional<Scattered> row;
  const msg::Fault fault = msg::send(to_of(comm, dest, tag, memory), data_of(memory, row), mode);
  if (fault != msg::Fault::kNone) [[unlikely]] {
    msg::Status status;
    status.fault = fault;
    return raise_fault(&comm, status);
  }
  return MPI_SUCCESS;
}

int receive(const Memory& memory, const msg::Data& data, const msg::From& from, Comm& comm,
            MPI_Status* status) noexcept {
  const msg::Status received = msg::receive(from, data);
  set_status(status, received);
  if (checks()) [[unlikely]] {
    check_types(*memory.datatype.type, received);
  }
  return received.fault == msg::Fault::kNone ? MPI_SUCCESS : raise_fault(&comm, received);
}

// Both, of which either may be with nobody.
struct Exchange {
  const Memory& sent;
  msg::Data out;
  int dest;
  int sendtag;
  const Memory& received;
  msg::Data in;
  int source;
  int recvtag;
};

int exchange(const Exchange& both, Comm& comm, MPI_Status* status) noexcept {
  msg::Status received;
  if (both.source == MPI_PROC_NULL) {
    if (both.dest != MPI_PROC_NULL) {
      received.fault = msg::send(to_of(comm, both.dest, both.sendtag, both.sent), both.out);
    }
    set_nobody(status);
  } else {
    const msg::From from = from_of(comm, both.source, both.recvtag);
    received = both.dest == MPI_PROC_NULL
                   ? msg::receive(from, both.in)
                   : msg::send_receive(to_of(comm, both.dest, both.sendtag, both.sent), both.out, from, both.in);
    set_status(status, received);
    if (checks()) [[unlikely]] {
      check_types(*both.received.datatype.type, received);
    }
  }
  return received.fault == msg::Fault::kNone ? MPI_SUCCESS : raise_fault(&comm, received);
}

}  // namespace

int check_dest(Comm& comm, int dest, int tag) noexcept {
  const int size = comm.peers().size;
  if (static_cast<unsigned>(dest) >= static_cast<unsigned>(size) && dest != MPI_PROC_NULL) [[unlikely]] {
    return raise(&comm, MPI_ERR_RANK, "dest: %d is no rank of %s, which has %d", dest, comm.name.c_str(), size);
  }
  return tag >= 0 ? MPI_SUCCESS : raise(&comm, MPI_ERR_TAG, "tag: %d is negative", tag);
}

int check_source(Comm& comm, int source, int tag) noexcept {
  const int size = comm.peers().size;
  if (static_cast<unsigned>(source) >= static_cast<unsigned>(size) && source != MPI_PROC_NULL &&
      source != MPI_ANY_SOURCE) [[unlikely]] {
    return raise(&comm, MPI_ERR_RANK, "source: %d is no rank of %s, which has %d", source, comm.name.c_str(), size);
  }
  return tag >= 0 || tag == MPI_ANY_TAG ? MPI_SUCCESS
                                        : raise(&comm, MPI_ERR_TAG, "tag: %d is negative, and not MPI_ANY_TAG", tag);
}

int send(const void* buf, MPI_Count count, const Datatype& datatype, int dest, int tag, Comm& comm) noexcept {
  return send_by({buf, count, datatype}, dest, tag, comm, msg::Mode::kStandard);
}

int ssend(const void* buf, MPI_Count count, const Datatype& datatype, int dest, int tag, Comm& comm) noexcept {
  return send_by({buf, count, datatype}, dest, tag, comm, msg::Mode::kSynchronous);
}

int rsend(const void* buf, MPI_Count count, const Datatype& datatype, int dest, int tag, Comm& comm) noexcept {
  return send_by({buf, count, datatype}, dest, tag, comm, msg::Mode::kReady);
}

int bsend(const void* buf, MPI_Count count, const Datatype& datatype, int dest, int tag, Comm& comm) noexcept {
  const Memory memory{buf, count, datatype};
  int code = check_dest(comm, dest, tag);
  if (code == MPI_SUCCESS) {
    code = check_memory(comm, memory);
  }
  if (code != MPI_SUCCESS || dest == MPI_PROC_NULL) {
    return code;
  }
  std::optional<Scattered> row;
  return send_buffered(comm, to_of(comm, dest, tag, memory), data_of(memory, row));
}

int recv(void* buf, MPI_Count count, const Datatype& datatype, int source, int tag, Comm& comm,
         MPI_Status* status) noexcept {
  const Memory memory{buf, count, datatype};
  int code = check_source(comm, source, tag);
  if (code == MPI_SUCCESS) {
    code = check_memory(comm, memory);
  }
  if (code != MPI_SUCCESS) [[unlikely]] {
    return code;
  }
  if (source == MPI_PROC_NULL) {
    set_nobody(status);
    return MPI_SUCCESS;
  }
  std::optional<Scattered> row;
  return receive(memory, data_of(memory, row), from_of(comm, source, tag), comm, status);
}

// NOLINTNEXTLINE(readability-function-size): the standard's own arguments.
int sendrecv(const void* sendbuf, MPI_Count sendcount, const Datatype& sendtype, int dest, int sendtag, void* recvbuf,
             MPI_Count recvcount, const Datatype& recvtype, int source, int recvtag, Comm& comm,
             MPI_Status* status) noexcept {
  const Memory out{sendbuf, sendcount, sendtype};
  const Memory in{recvbuf, recvcount, recvtype};
  int code = check_dest(comm, dest, sendtag);
  code = code != MPI_SUCCESS ? code : check_source(comm, source, recvtag);
  code = code != MPI_SUCCESS ? code : check_memory(comm, out);
  code = code != MPI_SUCCESS ? code : check_memory(comm, in);
  if (code != MPI_SUCCESS) [[unlikely]] {
    return code;
  }
  std::optional<Scattered> row_out;
  std::optional<Scattered> row_in;
  return exchange({out, data_of(out, row_out), dest, sendtag, in, data_of(in, row_in), source, recvtag}, comm, status);
}

int sendrecv_replace(void* buf, MPI_Count count, const Datatype& datatype, int dest, int sendtag, int source,
                     int recvtag, Comm& comm, MPI_Status* status) noexcept {
  const Memory memory{buf, count, datatype};
  int code = check_dest(comm, dest, sendtag);
  code = code != MPI_SUCCESS ? code : check_source(comm, source, recvtag);
  code = code != MPI_SUCCESS ? code : check_memory(comm, memory);
  if (code != MPI_SUCCESS) {
    return code;
  }
  std::optional<Scattered> row;
  const msg::Data in = data_of(memory, row);
  const std::unique_ptr<std::byte[]> copy(new (std::nothrow) std::byte[in.bytes]);
  if (!copy) {
    return raise(&comm, MPI_ERR_NO_MEM, "there is no memory for a copy of %llu bytes",
                 static_cast<unsigned long long>(in.bytes));
  }
  type::Cursor(*datatype.type, count).pack(buf, 0, copy.get(), in.bytes);
  return exchange({memory, msg::Data::of(copy.get(), in.bytes), dest, sendtag, memory, in, source, recvtag}, comm,
                  status);
}

}  // namespace weft::mpi
