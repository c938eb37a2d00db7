// Requests: what is under way, its completion, and what it leaves in a status.
#pragma once

#include <mpi.h>

#include <atomic>
#include <cstddef>
#include <memory>
#include <optional>

#include "mpi/communicators.hpp"
#include "mpi/memory.hpp"
#include "mpi/safe.hpp"
#include "msg/attached.hpp"
#include "msg/request.hpp"

namespace weft::mpi {

struct Generalized {
  MPI_Grequest_query_function* query = nullptr;
  MPI_Grequest_free_function* free = nullptr;
  MPI_Grequest_cancel_function* cancel = nullptr;
  void* state = nullptr;
};

struct Request : Object {
  using Handle = MPI_Request;
  static constexpr HandleKind kKind = HandleKind::kRequest;
  enum class Does : unsigned char {
    kSend,
    kBuffered,  // complete when it has begun
    kReceive,   // those before have one message, and nothing else
    kBoth,      // `message` receives, `other` sends
    kGeneralized,
    kFlush,
  };
  /// The send of one that does both.
  struct Other {
    msg::Request message;
    type::Ref type;
    std::optional<Scattered> row;
    std::unique_ptr<std::byte[]> copy;  // of what is replaced
  };

  Request() = default;
  Request(const Request&) = delete;
  Request& operator=(const Request&) = delete;
  ~Request();

  Does does = Does::kSend;
  bool persistent = false;
  bool active = false;
  bool nobody = false;  // it is with MPI_PROC_NULL
  msg::Mode mode = msg::Mode::kStandard;
  msg::Request message;
  std::unique_ptr<Other> other;
  std::unique_ptr<StartedSend> started;  // safe mode
  Comm* comm = nullptr;                  // kept; null: its errors are about no object
  type::Ref type;
  std::optional<Scattered> row;
  msg::To to;
  msg::From from;
  msg::Data data;
  msg::Attached* buffer = nullptr;  // kFlush
  Generalized general;
  bool source_is_nobody = false;             // kSend: the send of one that was to do both
  std::atomic<unsigned> ends{0};             // kGeneralized: kFinished, kAbandoned
  std::atomic<int> under_way{0};             // of one that was freed: messages
  static constexpr unsigned kFinished = 1;   // the program has said that it is complete
  static constexpr unsigned kAbandoned = 2;  // freed before
  /// Called when it is complete, before it is gone; what it returns is the call's result. Null: none.
  int (*finish)(Request& request) noexcept = nullptr;
  void* what = nullptr;  // of finish
  /// Where its handles are from. Without a number: it has ended and is kept, or has been taken from there.
  HandleTable::Slot* place = nullptr;
  Request* next_kept = nullptr;

  /// A message of which nobody has to be told more than that it is through.
  bool is_simple() const noexcept {
    return does <= Does::kReceive && active && !persistent && finish == nullptr &&
           message.status.fault == msg::Fault::kNone;
  }
};

/// Requests that have ended, as they are, with the places of their handles, in the order in which they ended: where one
/// thread only calls, the next ones need little more than new handles. Few are not used again, so that a handle which
/// has ended stays unknown for a while; more than windows of messages need are given back.
class EndedRequests {
 public:
  bool keep(Request& request) noexcept {
    // Relaxed: no other thread calls.
    if (!one_thread() || count_ >= kMost || !is_plain(request) || checks() ||
        request.users.load(std::memory_order_relaxed) != 1) [[unlikely]] {
      return false;
    }
    request.place->hide();
    request.number = 0;
    if (request.comm != nullptr) {
      drop(*request.comm);
      request.comm = nullptr;
    }
    request.next_kept = nullptr;
    (first_ == nullptr ? first_ : last_->next_kept) = &request;
    last_ = &request;
    ++count_;
    return true;
  }
  /// Null: there are few.
  Request* take() noexcept {
    if (count_ <= kFewest) {
      return nullptr;
    }
    --count_;
    Request* const request = first_;
    first_ = request->next_kept;
    request->persistent = false;
    request->active = false;
    request->nobody = false;
    request->source_is_nobody = false;
    request->mode = msg::Mode::kStandard;
    return request;
  }

 private:
  static constexpr int kFewest = 32;
  static constexpr int kMost = 1024;

  // What ends has nothing of its own, as messages of predefined datatypes do.
  static bool is_plain(const Request& request) noexcept {
    return request.does <= Request::Does::kReceive && !request.type && !request.row && request.other == nullptr &&
           request.finish == nullptr;
  }

  Request* first_ = nullptr;
  Request* last_ = nullptr;
  int count_ = 0;
};
extern constinit EndedRequests g_ended_requests;

/// Before the first one is made.
void set_up_requests() noexcept;
/// A request that is complete and leaves an empty status: the one of all sends that have gone when their call returns.
/// It has one handle, which stays when the program's variable is given the null handle. Null: there is none, as each
/// request is looked after.
extern constinit Request* g_gone;
inline Request* gone_request() noexcept { return g_gone; }
/// As retire(), of any request.
inline void end_request(Request& request, MPI_Request* handle) noexcept {
  if (&request == g_gone || g_ended_requests.keep(request)) [[likely]] {
    *handle = MPI_REQUEST_NULL;
  } else {
    retire(request, handle);
  }
}

/// A new one that keeps the communicator, which may be null, and has no handle. Null: there is no memory.
Request* make_request() noexcept;
inline Request* new_request(Comm* comm, Request::Does does) noexcept {
  Request* made = g_ended_requests.take();
  if (made == nullptr) [[unlikely]] {
    made = make_request();
  }
  if (made != nullptr) {
    made->does = does;
    made->comm = comm;
    if (comm != nullptr) {
      keep(*comm);
    }
  }
  return made;
}
/// Gives the program its handle; MPI_SUCCESS, or the call's result.
int give_new_request(Request* request, MPI_Request* handle) noexcept;
inline int give_request(Request* request, MPI_Request* handle) noexcept {
  if (request->place == nullptr) [[unlikely]] {
    return give_new_request(request, handle);
  }
  request->number = request->place->show(request, 0);  // it was used before
  *handle = handle_of(*request);
  return MPI_SUCCESS;
}
/// Begins a request that has all it needs. MPI_SUCCESS, or an error's code that was raised.
int begin_request(Request& request) noexcept;
/// It is complete, or inactive. Messages do not go on.
bool is_complete(Request& request) noexcept;
/// Until it is complete.
void wait_for(Request& request) noexcept;

/// The code of what became of a message.
int code_of(msg::Fault fault) noexcept;
/// Raises it; MPI_SUCCESS where there is none.
int raise_fault(Watched* on, const msg::Status& status) noexcept;
/// What the standard calls empty, and what is of MPI_PROC_NULL. Null: nobody wants it.
void set_empty(MPI_Status* status) noexcept;
void set_nobody(MPI_Status* status) noexcept;
void set_status(MPI_Status* status, const msg::Status& of) noexcept;

/// Calls the free function of a generalized request, which is gone then.
int end_generalized(Request& request) noexcept;
/// Waits for sends that were freed before they had gone, and until no receiver looks at one that was withdrawn.
void finish_freed_requests() noexcept;

int cancel(MPI_Request* request) noexcept;
int grequest_complete(Request& request) noexcept;
int grequest_start(MPI_Grequest_query_function* query_fn, MPI_Grequest_free_function* free_fn,
                   MPI_Grequest_cancel_function* cancel_fn, void* extra_state, MPI_Request* request) noexcept;
int request_free(MPI_Request* request) noexcept;
int request_get_status(Request* request, int* flag, MPI_Status* status) noexcept;
int request_get_status_all(int count, const MPI_Request requests[], int* flag, MPI_Status* statuses) noexcept;
int request_get_status_any(int count, const MPI_Request requests[], int* indx, int* flag, MPI_Status* status) noexcept;
int request_get_status_some(int incount, const MPI_Request requests[], int* outcount, int indices[],
                            MPI_Status* statuses) noexcept;
int start(MPI_Request* request) noexcept;
int startall(int count, MPI_Request requests[]) noexcept;
int test(MPI_Request* request, int* flag, MPI_Status* status) noexcept;
int testall(int count, MPI_Request requests[], int* flag, MPI_Status* statuses) noexcept;
int testany(int count, MPI_Request requests[], int* indx, int* flag, MPI_Status* status) noexcept;
int testsome(int incount, MPI_Request requests[], int* outcount, int indices[], MPI_Status* statuses) noexcept;
int wait(MPI_Request* request, MPI_Status* status) noexcept;
int waitall(int count, MPI_Request requests[], MPI_Status* statuses) noexcept;
int waitany(int count, MPI_Request requests[], int* indx, MPI_Status* status) noexcept;
int waitsome(int incount, MPI_Request requests[], int* outcount, int indices[], MPI_Status* statuses) noexcept;

}  // namespace weft::mpi
