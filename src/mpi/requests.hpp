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
  Number place = 0;      // of its next handle: it has ended and is kept, or has been taken from there
  Request* next_kept = nullptr;
};

/// Before the first one is made.
void set_up_requests() noexcept;
/// A request that is complete and leaves an empty status: the one of all sends that have gone when their call returns.
/// It has one handle, which stays when the program's variable is given the null handle. Null: there is none, as each
/// request is looked after.
Request* gone_request() noexcept;
/// As retire(), of any request.
void end_request(Request& request, MPI_Request* handle) noexcept;

/// A new one that keeps the communicator, which may be null, and has no handle. Null: there is no memory.
Request* new_request(Comm* comm, Request::Does does) noexcept;
/// Gives the program its handle; MPI_SUCCESS, or the call's result.
int give_request(Request* request, MPI_Request* handle) noexcept;
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
/// Waits for sends that were freed before they had gone.
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
