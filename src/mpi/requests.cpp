#include "mpi/requests.hpp"

#include <new>
#include <utility>

#include "job/node.hpp"
#include "job/notes.hpp"
#include "mpi/buffers.hpp"
#include "mpi/calls.hpp"
#include "mpi/statuses.hpp"
#include "msg/messages.hpp"
#include "msg/start.hpp"
#include "sync/doorbell.hpp"

namespace weft::mpi {
namespace {

constinit std::atomic<int> g_freed_sends{0};

// MPI 5.0, 6.12: neither is for requests of calls that all ranks make.
int raise_collective(const Request& request) noexcept {
  return raise(request.comm, MPI_ERR_REQUEST,
               "request: all ranks of its communicator make this call, and it can only be completed");
}

// The room has no more of it. Called inside the room, so nothing of it is called here.
void one_less(msg::Request& message) noexcept {
  auto& request = *static_cast<Request*>(message.cookie);
  if (message.is_send) {
    // Release: pairs with finish_freed_requests().
    g_freed_sends.fetch_sub(1, std::memory_order_release);
  }
  // acq_rel: the last one deletes what the other one has used.
  if (request.under_way.fetch_sub(1, std::memory_order_acq_rel) == 1) {
    drop(request);
  }
}

void let_go(Request& request) noexcept {
  const bool both = request.does == Request::Does::kBoth;
  // Two hold it until both have been let go, so it is there for the second one.
  msg::Request* const messages[] = {&request.message, both ? &request.other->message : nullptr};
  request.under_way.store(both ? 2 : 1, std::memory_order_relaxed);  // the room's lock orders it
  for (msg::Request* message : messages) {
    if (message == nullptr) {
      continue;
    }
    message->cookie = &request;
    if (message->is_send) {
      g_freed_sends.fetch_add(1, std::memory_order_relaxed);
    }
    msg::let_go(*message, one_less);
  }
}

bool has_messages(const Request& request) noexcept {
  return request.active && !request.nobody &&
         (request.does == Request::Does::kSend || request.does == Request::Does::kReceive ||
          request.does == Request::Does::kBoth);
}

}  // namespace

constinit Request* g_gone = nullptr;
constinit EndedRequests g_ended_requests;

Request::~Request() {
  if (place != nullptr && number == 0) {
    g_tables[static_cast<std::size_t>(kKind)].give_back(*place);
  }
  if (comm != nullptr) {
    drop(*comm);
  }
}

void set_up_requests() noexcept {
  // In safe mode each send has a request of its own, which is told of if it is left.
  if (checks() || g_gone != nullptr) {
    return;
  }
  Request* const made = new_request(nullptr, Request::Does::kSend);
  MPI_Request handle = nullptr;
  if (made != nullptr && publish(made, &handle)) {
    made->active = true;
    // Relaxed: no thread has begun to call.
    made->message.state.store(msg::Request::State::kDone, std::memory_order_relaxed);
    g_gone = made;
  }
}

Request* make_request() noexcept { return new (std::nothrow) Request; }

int give_new_request(Request* request, MPI_Request* handle) noexcept {
  if (!publish(request, handle)) {
    return raise(nullptr, MPI_ERR_NO_MEM, "there are too many requests");
  }
  request->place = g_tables[static_cast<std::size_t>(Request::kKind)].slot_of(request->number);
  return MPI_SUCCESS;
}

int begin_request(Request& request) noexcept {
  request.active = true;
  if (request.nobody) {
    return MPI_SUCCESS;
  }
  if (checks()) [[unlikely]] {
    note_sends(request, request.data);
  }
  switch (request.does) {
    case Request::Does::kSend: msg::start_send(request.message, request.to, request.data, request.mode); break;
    case Request::Does::kBuffered: return send_buffered(*request.comm, request.to, request.data);
    case Request::Does::kReceive: msg::start_receive(request.message, request.from, request.data); break;
    default: break;
  }
  return MPI_SUCCESS;
}

bool is_complete(Request& request) noexcept {
  if (!request.active || request.nobody) {
    return true;
  }
  switch (request.does) {
    case Request::Does::kSend:
    case Request::Does::kReceive: return request.message.done();
    case Request::Does::kBoth: return request.message.done() && request.other->message.done();
    // Acquire: what the program did before it said so.
    case Request::Does::kGeneralized: return (request.ends.load(std::memory_order_acquire) & Request::kFinished) != 0;
    case Request::Does::kFlush: return request.buffer->empty();
    case Request::Does::kBuffered: break;
  }
  return true;
}

void wait_for(Request& request) noexcept {
  if (has_messages(request)) [[likely]] {
    msg::wait(request.message);
    if (request.does == Request::Does::kBoth) {
      msg::wait(request.other->message);
    }
    return;
  }
  const auto done = [](void* of) noexcept { return is_complete(*static_cast<Request*>(of)); };
  const bool flushes = request.does == Request::Does::kFlush;
  msg::wait_until(done, &request,
                  {.why = boot::Waiting::kMessage,
                   .compare = flushes ? boot::kToBeTaken : 0,
                   .type = static_cast<std::uint32_t>(flushes ? boot::Awaits::kMessage : boot::Awaits::kProgram),
                   .root = -1,
                   .index = static_cast<std::uint32_t>(msg::kAnyTag)});
}

int code_of(msg::Fault fault) noexcept {
  switch (fault) {
    case msg::Fault::kNone: return MPI_SUCCESS;
    case msg::Fault::kTruncated: return MPI_ERR_TRUNCATE;
    case msg::Fault::kTheirMemory:
    case msg::Fault::kOwnMemory: return MPI_ERR_BUFFER;
    case msg::Fault::kNoMemory: return MPI_ERR_NO_MEM;
    case msg::Fault::kWrongData: return MPI_ERR_TYPE;
  }
  return MPI_ERR_OTHER;
}

int raise_fault(Watched* on, const msg::Status& status) noexcept {
  const int code = code_of(status.fault);
  switch (status.fault) {
    case msg::Fault::kNone: return code;
    case msg::Fault::kTruncated:
      return raise(on, code, "the message of rank %d with tag %d has %llu bytes, and there is room for %llu",
                   status.source, status.tag, static_cast<unsigned long long>(status.came),
                   static_cast<unsigned long long>(status.bytes));
    case msg::Fault::kTheirMemory: return raise(on, code, "the sender's memory cannot be read");
    case msg::Fault::kOwnMemory: return raise(on, code, "buf: there is no such memory");
    case msg::Fault::kNoMemory: return raise(on, code, "there is no memory for the message");
    case msg::Fault::kWrongData:
      return raise(on, code, "the message of rank %d with tag %d is of other datatypes", status.source, status.tag);
  }
  return code;
}

void set_status(MPI_Status* status, const msg::Status& of) noexcept {
  if (status != MPI_STATUS_IGNORE) {
    status->MPI_SOURCE = of.source;
    status->MPI_TAG = of.tag;
    set_bytes(*status, of.bytes);
    (void)status_set_cancelled(status, of.cancelled ? 1 : 0);
  }
}

void set_empty(MPI_Status* status) noexcept {
  set_status(status, {});
  if (status != MPI_STATUS_IGNORE) {
    // Calls that complete one request leave this field alone, but what the standard calls an empty status has it.
    status->MPI_ERROR = MPI_SUCCESS;
  }
}

void set_nobody(MPI_Status* status) noexcept {
  msg::Status nobody;
  nobody.source = MPI_PROC_NULL;
  set_status(status, nobody);
}

void finish_freed_requests() noexcept {
  // Acquire: pairs with one_less().
  const auto done = [](void* /*of*/) noexcept {
    return g_freed_sends.load(std::memory_order_acquire) == 0 && msg::all_withdrawn_are_dropped();
  };
  msg::wait_until(done, nullptr,
                  {.why = boot::Waiting::kMessage,
                   .compare = boot::kToBeTaken,
                   .root = -1,
                   .index = static_cast<std::uint32_t>(msg::kAnyTag)});
}

int request_free(MPI_Request* handle) noexcept {
  auto* const request = find<Request>(*handle);
  if (request == nullptr) {
    return raise_handle(nullptr, HandleKind::kRequest, *handle, "request");
  }
  if (request == g_gone) {
    *handle = MPI_REQUEST_NULL;
    return MPI_SUCCESS;
  }
  if (request->finish != nullptr && request->active) {
    return raise_collective(*request);
  }
  if (request->does == Request::Does::kGeneralized) {
    *handle = MPI_REQUEST_NULL;
    // Of the two that are to happen the later one ends it; until then the program completes it by its handle.
    // acq_rel: as in grequest_complete().
    const unsigned before = request->ends.fetch_or(Request::kAbandoned, std::memory_order_acq_rel);
    return before != 0 ? end_generalized(*request) : MPI_SUCCESS;
  }
  (void)remove_object(HandleKind::kRequest, request->number);
  *handle = MPI_REQUEST_NULL;
  if (has_messages(*request)) {
    let_go(*request);
  } else {
    drop(*request);
  }
  return MPI_SUCCESS;
}

int cancel(MPI_Request* handle) noexcept {
  auto* const request = find<Request>(*handle);
  if (request == nullptr) {
    return raise_handle(nullptr, HandleKind::kRequest, *handle, "request");
  }
  if (!request->active) {
    return raise(request->comm, MPI_ERR_REQUEST, "request: it has not been started");
  }
  if (request->finish != nullptr) {
    return raise_collective(*request);
  }
  if (request->does == Request::Does::kGeneralized) {
    const CallKept kept;
    const int complete = is_complete(*request) ? 1 : 0;
    const int code =
        request->general.cancel == nullptr ? MPI_SUCCESS : request->general.cancel(request->general.state, complete);
    return code == MPI_SUCCESS ? code : raise(nullptr, code, "the cancel function returned %d", code);
  }
  // What does both cannot be taken back by halves.
  if (has_messages(*request) && request->does != Request::Does::kBoth) {
    (void)msg::cancel(request->message);
  }
  return MPI_SUCCESS;
}

int grequest_start(MPI_Grequest_query_function* query_fn, MPI_Grequest_free_function* free_fn,
                   MPI_Grequest_cancel_function* cancel_fn, void* extra_state, MPI_Request* handle) noexcept {
  Request* const made = new_request(nullptr, Request::Does::kGeneralized);
  if (made == nullptr) {
    return raise(nullptr, MPI_ERR_NO_MEM, "there is no memory for a request");
  }
  made->general = {query_fn, free_fn, cancel_fn, extra_state};
  made->active = true;
  return give_request(made, handle);
}

int grequest_complete(Request& request) noexcept {
  if (request.does != Request::Does::kGeneralized) {
    return raise(nullptr, MPI_ERR_REQUEST, "request: is no generalized request");
  }
  // Release: what the program did before is seen by who waits; acquire: by who ends it. seq_cst for the bell. Who waits
  // may end it at once, so nothing of it is used afterwards unless it was abandoned.
  const unsigned before = request.ends.fetch_or(Request::kFinished, std::memory_order_seq_cst);
  if ((before & Request::kFinished) != 0) {
    return raise(nullptr, MPI_ERR_REQUEST, "request: is complete already");
  }
  if ((before & Request::kAbandoned) != 0) {
    return end_generalized(request);
  }
  const job::Node& node = job::node();
  sync::ring(node.value_bell(node.local));
  return MPI_SUCCESS;
}

int end_generalized(Request& request) noexcept {
  const CallKept kept;
  const int code = request.general.free == nullptr ? MPI_SUCCESS : request.general.free(request.general.state);
  (void)remove_object(HandleKind::kRequest, request.number);
  drop(request);
  return code;
}

}  // namespace weft::mpi
