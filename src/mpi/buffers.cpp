#include "mpi/buffers.hpp"

#include "mpi/requests.hpp"

namespace weft::mpi {
namespace {

int iflush(Comm* comm, msg::Attached& buffer, MPI_Request* handle) noexcept {
  Request* const made = new_request(comm, Request::Does::kFlush);
  if (made == nullptr) {
    return raise(comm, MPI_ERR_NO_MEM, "there is no memory for a request");
  }
  made->buffer = &buffer;
  made->active = true;
  return give_request(made, handle);
}

}  // namespace

msg::Attached& process_buffer() noexcept {
  static auto& made = *new msg::Attached;
  return made;
}

int send_buffered(Comm& comm, const msg::To& to, const msg::Data& data) noexcept {
  msg::Attached& buffer = comm.buffer.attached() ? comm.buffer : process_buffer();
  if (buffer.send(to, data) == msg::Fault::kNone) {
    return MPI_SUCCESS;
  }
  return raise(&comm, MPI_ERR_BUFFER, "%s for a message of %llu bytes",
               buffer.attached() ? "there is no room in the attached buffer" : "no buffer is attached",
               static_cast<unsigned long long>(data.bytes));
}

void end_buffer(Comm& comm) noexcept {
  if (comm.buffer.attached()) {
    (void)comm.buffer.detach();
  }
}

void end_buffers() noexcept {
  end_buffer(comm_world());
  end_buffer(comm_self());
  if (process_buffer().attached()) {
    (void)process_buffer().detach();
  }
}

int attach_buffer(Watched* on, msg::Attached& to, void* buffer, MPI_Count size) noexcept {
  const bool automatic = buffer == MPI_BUFFER_AUTOMATIC;
  if (!automatic && (buffer == nullptr || size < 0)) {
    return size < 0 ? raise(on, MPI_ERR_ARG, "size: %lld is negative", static_cast<long long>(size))
                    : raise(on, MPI_ERR_BUFFER, "buffer: is null");
  }
  if (!to.attach(automatic ? nullptr : buffer, automatic ? 0 : static_cast<std::size_t>(size))) {
    return raise(on, MPI_ERR_BUFFER, "buffer: there is one attached already");
  }
  return MPI_SUCCESS;
}

int detach_buffer(Watched* on, msg::Attached& from, void* buffer_addr, MPI_Count* size) noexcept {
  if (buffer_addr == nullptr) {
    return raise(on, MPI_ERR_ARG, "buffer_addr: is null");
  }
  if (!from.attached()) {
    return raise(on, MPI_ERR_BUFFER, "no buffer is attached");
  }
  const msg::Stretch given = from.detach();
  *static_cast<void**>(buffer_addr) = given.at == nullptr ? MPI_BUFFER_AUTOMATIC : given.at;
  *size = static_cast<MPI_Count>(given.bytes);
  return MPI_SUCCESS;
}

int buffer_attach(void* buffer, MPI_Count size) noexcept {
  return attach_buffer(nullptr, process_buffer(), buffer, size);
}

int buffer_flush() noexcept {
  process_buffer().flush();
  return MPI_SUCCESS;
}

int buffer_iflush(MPI_Request* request) noexcept { return iflush(nullptr, process_buffer(), request); }

int comm_attach_buffer(Comm& comm, void* buffer, MPI_Count size) noexcept {
  return attach_buffer(&comm, comm.buffer, buffer, size);
}

int comm_flush_buffer(Comm& comm) noexcept {
  comm.buffer.flush();
  return MPI_SUCCESS;
}

int comm_iflush_buffer(Comm& comm, MPI_Request* request) noexcept { return iflush(&comm, comm.buffer, request); }

}  // namespace weft::mpi
