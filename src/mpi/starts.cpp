// Messages whose calls return at once, and those that are made once and started often.
#include <new>

#include "mpi/messages.hpp"
#include "msg/messages.hpp"

namespace weft::mpi {
namespace {

int raise_no_request(Comm& comm) noexcept { return raise(&comm, MPI_ERR_NO_MEM, "there is no memory for a request"); }

// What all arguments of a call are checked for, and a request with all it needs and no handle. Null, with the call's
// result.
Request* make(const Memory& memory, Comm& comm, Request::Does does, int checked, int* result) noexcept {
  *result = checked != MPI_SUCCESS ? checked : check_memory(comm, memory);
  if (*result != MPI_SUCCESS) {
    return nullptr;
  }
  Request* const made = new_request(&comm, does);
  if (made == nullptr) {
    *result = raise_no_request(comm);
    return nullptr;
  }
  // Predefined ones stay without being kept.
  if (!memory.datatype.permanent() || checks()) {
    made->type = memory.datatype.type;
  }
  made->data = data_of(memory, made->row);
  return made;
}

Request* make_send(const Memory& memory, int dest, int tag, Comm& comm, int* result) noexcept {
  Request* const made = make(memory, comm, Request::Does::kSend, check_dest(comm, dest, tag), result);
  if (made != nullptr) {
    made->nobody = dest == MPI_PROC_NULL;
    made->to = made->nobody ? msg::To{} : to_of(comm, dest, tag, memory);
  }
  return made;
}

Request* make_receive(const Memory& memory, int source, int tag, Comm& comm, int* result) noexcept {
  Request* const made = make(memory, comm, Request::Does::kReceive, check_source(comm, source, tag), result);
  if (made != nullptr) {
    made->nobody = source == MPI_PROC_NULL;
    made->from = made->nobody ? msg::From{} : from_of(comm, source, tag);
  }
  return made;
}

// A request without a handle gets one, and begins. One that cannot begin is gone.
int give_and_begin(Request* request, MPI_Request* handle) noexcept {
  if (const int code = give_request(request, handle); code != MPI_SUCCESS) {
    return code;
  }
  const int code = begin_request(*request);
  if (code != MPI_SUCCESS) {
    retire(*request, handle);
  }
  return code;
}

int give_persistent(Request* request, MPI_Request* handle) noexcept {
  request->persistent = true;
  return give_request(request, handle);
}

struct Sends {
  Request::Does does = Request::Does::kSend;
  msg::Mode mode = msg::Mode::kStandard;
  bool persistent = false;
};

// The commonest one: short, and there is room for it. False: it takes a request.
[[gnu::always_inline]] inline bool send_without_request(const Memory& memory, int dest, int tag, Comm& comm,
                                                        MPI_Request* handle, msg::Mode mode) noexcept {
  const Request* const gone = gone_request();
  if (gone == nullptr || dest == MPI_PROC_NULL) {
    return false;
  }
  const type::Cursor cursor(*memory.datatype.type, memory.count);
  if (!cursor.in_one_piece() || !msg::send_at_once(to_of(comm, dest, tag, memory),
                                                   msg::Data::of(cursor.first(memory.at), cursor.bytes()), mode)) {
    return false;
  }
  *handle = handle_of(*gone);
  return true;
}

int start_send(const Memory& memory, int dest, int tag, Comm& comm, MPI_Request* handle, const Sends& how) noexcept {
  int result = MPI_SUCCESS;
  Request* const made = make_send(memory, dest, tag, comm, &result);
  if (made == nullptr) {
    return result;
  }
  made->does = how.does;
  made->mode = how.mode;
  return how.persistent ? give_persistent(made, handle) : give_and_begin(made, handle);
}

[[gnu::always_inline]] inline int send_or_start(const Memory& memory, int dest, int tag, Comm& comm,
                                                MPI_Request* handle, msg::Mode mode) noexcept {
  int code = check_dest(comm, dest, tag);
  code = code != MPI_SUCCESS ? code : check_memory(comm, memory);
  if (code != MPI_SUCCESS || send_without_request(memory, dest, tag, comm, handle, mode)) [[likely]] {
    return code;
  }
  return start_send(memory, dest, tag, comm, handle, {.mode = mode});
}

// The memory of an exchange: `copied` is sent from a copy of its own.
struct Exchange {
  const Memory& out;
  int dest;
  int sendtag;
  const Memory& in;
  int source;
  int recvtag;
};

int begin_both(Request* made, const Exchange& both, Comm& comm, bool copied, MPI_Request* handle) noexcept {
  made->other.reset(new (std::nothrow) Request::Other);
  bool good = made->other != nullptr;
  msg::Data out;
  if (good && copied) {
    const type::Cursor cursor(*both.out.datatype.type, both.out.count);
    made->other->copy.reset(new (std::nothrow) std::byte[cursor.bytes()]);
    good = made->other->copy != nullptr;
    if (good) {
      cursor.pack(both.out.at, 0, made->other->copy.get(), cursor.bytes());
      out = msg::Data::of(made->other->copy.get(), cursor.bytes());
    }
  } else if (good) {
    made->other->type = both.out.datatype.type;
    out = data_of(both.out, made->other->row);
  }
  if (!good) {
    drop(*made);
    return raise_no_request(comm);
  }
  if (const int code = give_request(made, handle); code != MPI_SUCCESS) {
    return code;
  }
  made->active = true;
  if (checks()) [[unlikely]] {
    note_sends(*made, out);
  }
  if (made->does == Request::Does::kSend) {
    msg::start_send(made->message, to_of(comm, both.dest, both.sendtag, both.out), out);
    // Only one message is under way; what it needs stays where it is.
    made->row.reset();
    return MPI_SUCCESS;
  }
  msg::start_receive(made->message, made->from, made->data);
  msg::start_send(made->other->message, to_of(comm, both.dest, both.sendtag, both.out), out);
  return MPI_SUCCESS;
}

int start_both(const Exchange& both, Comm& comm, bool copied, MPI_Request* handle) noexcept {
  int code = check_dest(comm, both.dest, both.sendtag);
  code = code != MPI_SUCCESS ? code : check_memory(comm, both.out);
  if (code != MPI_SUCCESS) {
    return code;
  }
  Request* const made = make_receive(both.in, both.source, both.recvtag, comm, &code);
  if (made == nullptr) {
    return code;
  }
  if (both.dest == MPI_PROC_NULL) {
    return give_and_begin(made, handle);
  }
  made->does = made->nobody ? Request::Does::kSend : Request::Does::kBoth;
  made->source_is_nobody = made->nobody;
  made->nobody = false;
  return begin_both(made, both, comm, copied, handle);
}

}  // namespace

int isend(const void* buf, MPI_Count count, const Datatype& datatype, int dest, int tag, Comm& comm,
          MPI_Request* request) noexcept {
  return send_or_start({buf, count, datatype}, dest, tag, comm, request, msg::Mode::kStandard);
}

int issend(const void* buf, MPI_Count count, const Datatype& datatype, int dest, int tag, Comm& comm,
           MPI_Request* request) noexcept {
  return start_send({buf, count, datatype}, dest, tag, comm, request, {.mode = msg::Mode::kSynchronous});
}

int irsend(const void* buf, MPI_Count count, const Datatype& datatype, int dest, int tag, Comm& comm,
           MPI_Request* request) noexcept {
  return send_or_start({buf, count, datatype}, dest, tag, comm, request, msg::Mode::kReady);
}

int ibsend(const void* buf, MPI_Count count, const Datatype& datatype, int dest, int tag, Comm& comm,
           MPI_Request* request) noexcept {
  return start_send({buf, count, datatype}, dest, tag, comm, request, {.does = Request::Does::kBuffered});
}

int irecv(void* buf, MPI_Count count, const Datatype& datatype, int source, int tag, Comm& comm,
          MPI_Request* request) noexcept {
  const Memory memory{buf, count, datatype};
  if (source == MPI_PROC_NULL || checks()) [[unlikely]] {
    int result = MPI_SUCCESS;
    Request* const made = make_receive(memory, source, tag, comm, &result);
    return made == nullptr ? result : give_and_begin(made, request);
  }
  // As make_receive() and begin_request() do, but what the message is to be is said to its own request only.
  int code = check_source(comm, source, tag);
  code = code != MPI_SUCCESS ? code : check_memory(comm, memory);
  if (code != MPI_SUCCESS) [[unlikely]] {
    return code;
  }
  Request* const made = new_request(&comm, Request::Does::kReceive);
  if (made == nullptr) [[unlikely]] {
    return raise_no_request(comm);
  }
  if (!datatype.permanent()) {
    made->type = datatype.type;
  }
  code = give_request(made, request);
  if (code != MPI_SUCCESS) [[unlikely]] {
    return code;
  }
  made->active = true;
  msg::start_receive(made->message, from_of(comm, source, tag), data_of(memory, made->row));
  return MPI_SUCCESS;
}

// NOLINTNEXTLINE(readability-function-size): the standard's own arguments.
int isendrecv(const void* sendbuf, MPI_Count sendcount, const Datatype& sendtype, int dest, int sendtag, void* recvbuf,
              MPI_Count recvcount, const Datatype& recvtype, int source, int recvtag, Comm& comm,
              MPI_Request* request) noexcept {
  const Memory out{sendbuf, sendcount, sendtype};
  const Memory in{recvbuf, recvcount, recvtype};
  return start_both({out, dest, sendtag, in, source, recvtag}, comm, false, request);
}

int isendrecv_replace(void* buf, MPI_Count count, const Datatype& datatype, int dest, int sendtag, int source,
                      int recvtag, Comm& comm, MPI_Request* request) noexcept {
  const Memory memory{buf, count, datatype};
  return start_both({memory, dest, sendtag, memory, source, recvtag}, comm, true, request);
}

int send_init(const void* buf, MPI_Count count, const Datatype& datatype, int dest, int tag, Comm& comm,
              MPI_Request* request) noexcept {
  return start_send({buf, count, datatype}, dest, tag, comm, request, {.persistent = true});
}

int ssend_init(const void* buf, MPI_Count count, const Datatype& datatype, int dest, int tag, Comm& comm,
               MPI_Request* request) noexcept {
  return start_send({buf, count, datatype}, dest, tag, comm, request,
                    {.mode = msg::Mode::kSynchronous, .persistent = true});
}

int rsend_init(const void* buf, MPI_Count count, const Datatype& datatype, int dest, int tag, Comm& comm,
               MPI_Request* request) noexcept {
  return start_send({buf, count, datatype}, dest, tag, comm, request, {.mode = msg::Mode::kReady, .persistent = true});
}

int bsend_init(const void* buf, MPI_Count count, const Datatype& datatype, int dest, int tag, Comm& comm,
               MPI_Request* request) noexcept {
  return start_send({buf, count, datatype}, dest, tag, comm, request,
                    {.does = Request::Does::kBuffered, .persistent = true});
}

int recv_init(void* buf, MPI_Count count, const Datatype& datatype, int source, int tag, Comm& comm,
              MPI_Request* request) noexcept {
  int result = MPI_SUCCESS;
  Request* const made = make_receive({buf, count, datatype}, source, tag, comm, &result);
  return made == nullptr ? result : give_persistent(made, request);
}

int start(MPI_Request* handle) noexcept {
  auto* const request = find<Request>(*handle);
  if (request == nullptr) {
    return raise_handle(nullptr, HandleKind::kRequest, *handle, "request");
  }
  if (!request->persistent || request->active) {
    return raise(request->comm, MPI_ERR_REQUEST, "request: %s",
                 request->persistent ? "it has been started already" : "is no persistent request");
  }
  const int code = begin_request(*request);
  request->active = code == MPI_SUCCESS;
  return code;
}

int startall(int count, MPI_Request requests[]) noexcept {
  if (count > 0 && requests == nullptr) {
    return raise(nullptr, MPI_ERR_ARG, "array_of_requests: is null");
  }
  for (int k = 0; k < count; ++k) {
    if (const int code = start(&requests[k]); code != MPI_SUCCESS) {
      return code;
    }
  }
  return MPI_SUCCESS;
}

}  // namespace weft::mpi
