// Asking for messages, and receiving those that were taken out of matching.
#include <new>
#include <optional>

#include "mpi/messages.hpp"
#include "msg/messages.hpp"

namespace weft::mpi {
namespace {

int give_message(Comm& comm, msg::Kept* kept, MPI_Message* message) noexcept {
  auto* const made = new (std::nothrow) Message(comm, kept);
  if (made == nullptr || !publish(made, message)) {
    return raise(&comm, MPI_ERR_NO_MEM, "there are too many messages taken by probes");
  }
  return MPI_SUCCESS;
}

// A message handle of a call: null with MPI_MESSAGE_NO_PROC. False, with the call's result.
bool find_message(MPI_Message handle, Message** message, int* result) noexcept {
  *message = handle == MPI_MESSAGE_NO_PROC ? nullptr : find<Message>(handle);
  if (*message == nullptr && handle != MPI_MESSAGE_NO_PROC) {
    *result = raise_handle(nullptr, HandleKind::kMessage, handle, "message");
    return false;
  }
  return true;
}

}  // namespace

int probe(int source, int tag, Comm& comm, MPI_Status* status) noexcept {
  if (const int code = check_source(comm, source, tag); code != MPI_SUCCESS) {
    return code;
  }
  if (source == MPI_PROC_NULL) {
    set_nobody(status);
  } else {
    set_status(status, msg::wait_for_message(from_of(comm, source, tag)));
  }
  return MPI_SUCCESS;
}

int iprobe(int source, int tag, Comm& comm, int* flag, MPI_Status* status) noexcept {
  if (const int code = check_source(comm, source, tag); code != MPI_SUCCESS) {
    return code;
  }
  *flag = 1;
  if (source == MPI_PROC_NULL) {
    set_nobody(status);
    return MPI_SUCCESS;
  }
  msg::Status found;
  *flag = msg::probe(from_of(comm, source, tag), &found) ? 1 : 0;
  if (*flag != 0) {
    set_status(status, found);
  }
  return MPI_SUCCESS;
}

int mprobe(int source, int tag, Comm& comm, MPI_Message* message, MPI_Status* status) noexcept {
  if (const int code = check_source(comm, source, tag); code != MPI_SUCCESS) {
    return code;
  }
  if (source == MPI_PROC_NULL) {
    *message = MPI_MESSAGE_NO_PROC;
    set_nobody(status);
    return MPI_SUCCESS;
  }
  msg::Status found;
  msg::Kept* const kept = msg::wait_and_take(from_of(comm, source, tag), &found);
  set_status(status, found);
  return give_message(comm, kept, message);
}

int improbe(int source, int tag, Comm& comm, int* flag, MPI_Message* message, MPI_Status* status) noexcept {
  if (const int code = check_source(comm, source, tag); code != MPI_SUCCESS) {
    return code;
  }
  *flag = 1;
  if (source == MPI_PROC_NULL) {
    *message = MPI_MESSAGE_NO_PROC;
    set_nobody(status);
    return MPI_SUCCESS;
  }
  msg::Status found;
  msg::Kept* const kept = msg::take(from_of(comm, source, tag), &found);
  *flag = kept != nullptr ? 1 : 0;
  if (kept == nullptr) {
    *message = MPI_MESSAGE_NULL;
    return MPI_SUCCESS;
  }
  set_status(status, found);
  return give_message(comm, kept, message);
}

int mrecv(void* buf, MPI_Count count, const Datatype& datatype, MPI_Message* handle, MPI_Status* status) noexcept {
  Message* message = nullptr;
  int code = MPI_SUCCESS;
  if (!find_message(*handle, &message, &code)) {
    return code;
  }
  if (message == nullptr) {
    *handle = MPI_MESSAGE_NULL;
    set_nobody(status);
    return MPI_SUCCESS;
  }
  const Memory memory{buf, count, datatype};
  if (code = check_memory(*message->comm, memory); code != MPI_SUCCESS) {
    return code;
  }
  std::optional<Scattered> row;
  msg::Request request;
  msg::start_receive(request, message->kept, data_of(memory, row));
  msg::wait(request);
  set_status(status, request.status);
  if (checks()) [[unlikely]] {
    check_types(*datatype.type, request.status);
  }
  code = raise_fault(message->comm, request.status);
  retire(*message, handle);
  return code;
}

int imrecv(void* buf, MPI_Count count, const Datatype& datatype, MPI_Message* handle, MPI_Request* request) noexcept {
  Message* message = nullptr;
  int code = MPI_SUCCESS;
  if (!find_message(*handle, &message, &code)) {
    return code;
  }
  const Memory memory{buf, count, datatype};
  Comm& comm = message == nullptr ? comm_self() : *message->comm;
  if (code = check_memory(comm, memory); code != MPI_SUCCESS) {
    return code;
  }
  Request* const made = new_request(&comm, Request::Does::kReceive);
  if (made == nullptr) {
    return raise(&comm, MPI_ERR_NO_MEM, "there is no memory for a request");
  }
  if (code = give_request(made, request); code != MPI_SUCCESS) {
    return code;
  }
  made->active = true;
  made->nobody = message == nullptr;
  made->type = datatype.type;
  if (message == nullptr) {
    *handle = MPI_MESSAGE_NULL;
    return MPI_SUCCESS;
  }
  msg::start_receive(made->message, message->kept, data_of(memory, made->row));
  retire(*message, handle);
  return MPI_SUCCESS;
}

}  // namespace weft::mpi
