// Waiting for requests, and asking after them.
#include "mpi/calls.hpp"
#include "mpi/found.hpp"
#include "mpi/requests.hpp"
#include "msg/messages.hpp"

namespace weft::mpi {
namespace {

// What a call does with a request that is complete.
enum class Then : bool { kTake, kLook };

// An error of a request that may be gone already.
class Failure {
 public:
  Failure() = default;
  Failure(const Failure&) = delete;
  Failure& operator=(const Failure&) = delete;
  ~Failure() {
    if (comm_ != nullptr) {
      drop(*comm_);
    }
  }
  void note(int code, const Request& request) noexcept {
    code_ = code;
    status_ = request.message.status;
    comm_ = request.comm;
    if (comm_ != nullptr) {
      keep(*comm_);
    }
  }
  /// Of one request.
  int tell() const noexcept {
    return code_of(status_.fault) == code_ ? raise_fault(comm_, status_)
                                           : raise(comm_, code_, "the request has ended with code %d", code_);
  }
  /// Of the k-th of several.
  int tell_of(int place) const noexcept {
    return raise(comm_, MPI_ERR_IN_STATUS, "array_of_requests[%d]: has ended with code %d", place, code_);
  }

 private:
  int code_ = MPI_SUCCESS;
  msg::Status status_;
  Comm* comm_ = nullptr;
};

int query(const Request& request, MPI_Status* status) noexcept {
  MPI_Status own{};
  set_empty(&own);
  const CallKept kept;
  const int code = request.general.query == nullptr ? MPI_SUCCESS : request.general.query(request.general.state, &own);
  if (status != MPI_STATUS_IGNORE) {
    own.MPI_ERROR = status->MPI_ERROR;
    *status = own;
  }
  return code;
}

// The status of one that is complete, and its error.
int look(const Request& request, MPI_Status* status) noexcept {
  if (!request.active) {
    set_empty(status);
    return MPI_SUCCESS;
  }
  if (request.nobody) {
    set_nobody(status);
    return MPI_SUCCESS;
  }
  switch (request.does) {
    case Request::Does::kGeneralized: return query(request, status);
    case Request::Does::kReceive:
    case Request::Does::kBoth: set_status(status, request.message.status); break;
    case Request::Does::kSend:
      if (request.source_is_nobody) {
        set_nobody(status);
      } else {
        msg::Status of;
        of.cancelled = request.message.status.cancelled;
        set_status(status, of);
      }
      break;
    case Request::Does::kBuffered:
    case Request::Does::kFlush: set_status(status, {}); return MPI_SUCCESS;
  }
  return code_of(request.message.status.fault);
}

// It is complete: its status is written, and it ends, or may be started again. The code is not raised yet.
int take(Request& request, MPI_Request* handle, MPI_Status* status, Failure* failure) noexcept {
  // The commonest: one message, of which nobody wants to know more than that it is through.
  if (status == MPI_STATUS_IGNORE && request.is_simple() && !checks()) [[likely]] {
    end_request(request, handle);
    return MPI_SUCCESS;
  }
  if (checks() && request.active) [[unlikely]] {
    check_completed(request);
  }
  int code = look(request, status);
  if (request.active && request.finish != nullptr) {
    const int finished = request.finish(request);
    code = code == MPI_SUCCESS ? finished : code;
  }
  if (request.does == Request::Does::kGeneralized) {
    // The error of the function called last is the call's (MPI 5.0, 13.2), and that is the one that frees.
    keep(request);
    const int freed = end_generalized(request);
    *handle = MPI_REQUEST_NULL;
    code = freed == MPI_SUCCESS ? code : freed;
    if (code != MPI_SUCCESS && failure != nullptr) {
      failure->note(code, request);
    }
    drop(request);
    return code;
  }
  if (code != MPI_SUCCESS && failure != nullptr) {
    failure->note(code, request);
  }
  if (request.persistent) {
    request.active = false;
  } else {
    end_request(request, handle);
  }
  return code;
}

MPI_Status* at(MPI_Status* statuses, int k) noexcept {
  return statuses == MPI_STATUSES_IGNORE ? nullptr : statuses + k;
}

// The errors of a call that completes several: only where one has failed the statuses bear them.
class Errors {
 public:
  explicit Errors(MPI_Status* statuses) noexcept : statuses_(statuses) {}
  Failure* first() noexcept { return failed_ < 0 ? &failure_ : nullptr; }
  /// The place-th request's, whose status is the k-th.
  void add(int k, int place, int code) noexcept {
    if (code != MPI_SUCCESS && failed_ < 0) {
      failed_ = place;
      for (int before = 0; statuses_ != MPI_STATUSES_IGNORE && before < k; ++before) {
        statuses_[before].MPI_ERROR = MPI_SUCCESS;
      }
    }
    if (failed_ >= 0 && statuses_ != MPI_STATUSES_IGNORE) {
      statuses_[k].MPI_ERROR = code;
    }
  }
  int tell() const noexcept { return failed_ < 0 ? MPI_SUCCESS : failure_.tell_of(failed_); }

 private:
  MPI_Status* statuses_;
  int failed_ = -1;
  Failure failure_;
};

int end_one(Request* request, MPI_Request* handle, MPI_Status* status, Then then) noexcept {
  Failure failure;
  const int code = then == Then::kTake ? take(*request, handle, status, &failure) : look(*request, status);
  if (code != MPI_SUCCESS && then == Then::kLook) {
    failure.note(code, *request);
  }
  return code == MPI_SUCCESS ? code : failure.tell();
}

int end_all(const Found& found, MPI_Request* handles, MPI_Status* statuses, Then then) noexcept {
  Errors errors(statuses);
  const bool in_short = then == Then::kTake && statuses == MPI_STATUSES_IGNORE && !checks();
  for (int k = 0; k < found.count(); ++k) {
    int code = MPI_SUCCESS;
    if (in_short && found[k] != nullptr && found[k]->is_simple()) [[likely]] {
      end_request(*found[k], &handles[k]);
      continue;
    }
    if (found[k] == nullptr) {
      set_empty(at(statuses, k));
    } else if (then == Then::kTake) {
      code = take(*found[k], &handles[k], at(statuses, k), errors.first());
    } else {
      code = look(*found[k], at(statuses, k));
      if (code != MPI_SUCCESS && errors.first() != nullptr) {
        errors.first()->note(code, *found[k]);
      }
    }
    errors.add(k, k, code);
  }
  return errors.tell();
}

int end_some(const Found& found, MPI_Request* handles, int* outcount, int* indices, MPI_Status* statuses,
             Then then) noexcept {
  Errors errors(statuses);
  int ended = 0;
  for (int k = 0; k < found.count(); ++k) {
    if (found[k] == nullptr || !found[k]->active || !is_complete(*found[k])) {
      continue;
    }
    int code = MPI_SUCCESS;
    if (then == Then::kTake) {
      code = take(*found[k], &handles[k], at(statuses, ended), errors.first());
    } else {
      code = look(*found[k], at(statuses, ended));
      if (code != MPI_SUCCESS && errors.first() != nullptr) {
        errors.first()->note(code, *found[k]);
      }
    }
    errors.add(ended, k, code);
    indices[ended++] = k;
  }
  *outcount = ended;
  return errors.tell();
}

bool test_all(const Found& found) noexcept {
  if (!found.all_complete()) {
    msg::progress();
    return found.all_complete();
  }
  return true;
}

int test_any(const Found& found) noexcept {
  const int complete = found.any_complete();
  if (complete >= 0) {
    return complete;
  }
  msg::progress();
  return found.any_complete();
}

int any(const Found& found, MPI_Request* handles, int* indx, int* flag, MPI_Status* status, Then then) noexcept {
  if (!found.any_active()) {
    *indx = MPI_UNDEFINED;
    *flag = 1;
    set_empty(status);
    return MPI_SUCCESS;
  }
  const int complete = test_any(found);
  *flag = complete >= 0 ? 1 : 0;
  *indx = complete >= 0 ? complete : MPI_UNDEFINED;
  return complete < 0 ? MPI_SUCCESS
                      : end_one(found[complete], then == Then::kTake ? handles + complete : nullptr, status, then);
}

int some(const Found& found, MPI_Request* handles, int* outcount, int* indices, MPI_Status* statuses,
         Then then) noexcept {
  if (!found.any_active()) {
    *outcount = MPI_UNDEFINED;
    return MPI_SUCCESS;
  }
  if (indices == nullptr) {
    return raise(nullptr, MPI_ERR_ARG, "array_of_indices: is null");
  }
  (void)test_any(found);
  return end_some(found, handles, outcount, indices, statuses, then);
}

}  // namespace

int wait(MPI_Request* handle, MPI_Status* status) noexcept {
  if (is_null<Request>(*handle)) {
    set_empty(status);
    return MPI_SUCCESS;
  }
  auto* const request = find<Request>(*handle);
  if (request == nullptr) {
    return raise_handle(nullptr, HandleKind::kRequest, *handle, "request");
  }
  if (!is_complete(*request)) {
    wait_for(*request);
  }
  return end_one(request, handle, status, Then::kTake);
}

int test(MPI_Request* handle, int* flag, MPI_Status* status) noexcept {
  if (is_null<Request>(*handle)) {
    *flag = 1;
    set_empty(status);
    return MPI_SUCCESS;
  }
  auto* const request = find<Request>(*handle);
  if (request == nullptr) {
    return raise_handle(nullptr, HandleKind::kRequest, *handle, "request");
  }
  if (!is_complete(*request)) {
    msg::progress();
  }
  *flag = is_complete(*request) ? 1 : 0;
  return *flag != 0 ? end_one(request, handle, status, Then::kTake) : MPI_SUCCESS;
}

int request_get_status(Request* request, int* flag, MPI_Status* status) noexcept {
  if (request == nullptr) {
    *flag = 1;
    set_empty(status);
    return MPI_SUCCESS;
  }
  if (!is_complete(*request)) {
    msg::progress();
  }
  *flag = is_complete(*request) ? 1 : 0;
  return *flag != 0 ? end_one(request, nullptr, status, Then::kLook) : MPI_SUCCESS;
}

int waitall(int count, MPI_Request requests[], MPI_Status* statuses) noexcept {
  Found found;
  int result = MPI_SUCCESS;
  if (!found.find(count, requests, &result)) {
    return result;
  }
  for (int k = 0; k < count; ++k) {
    // Gone, as most are: it is complete, and all of these are one request.
    if (found[k] != nullptr && found[k] != gone_request() && !is_complete(*found[k])) {
      wait_for(*found[k]);
    }
  }
  return end_all(found, requests, statuses, Then::kTake);
}

int testall(int count, MPI_Request requests[], int* flag, MPI_Status* statuses) noexcept {
  Found found;
  int result = MPI_SUCCESS;
  if (!found.find(count, requests, &result)) {
    return result;
  }
  *flag = test_all(found) ? 1 : 0;
  return *flag != 0 ? end_all(found, requests, statuses, Then::kTake) : MPI_SUCCESS;
}

int request_get_status_all(int count, const MPI_Request requests[], int* flag, MPI_Status* statuses) noexcept {
  Found found;
  int result = MPI_SUCCESS;
  if (!found.find(count, requests, &result)) {
    return result;
  }
  *flag = test_all(found) ? 1 : 0;
  return *flag != 0 ? end_all(found, nullptr, statuses, Then::kLook) : MPI_SUCCESS;
}

int waitany(int count, MPI_Request requests[], int* indx, MPI_Status* status) noexcept {
  Found found;
  int result = MPI_SUCCESS;
  if (!found.find(count, requests, &result)) {
    return result;
  }
  if (found.any_active()) {
    *indx = found.wait_for_any();
    return end_one(found[*indx], &requests[*indx], status, Then::kTake);
  }
  *indx = MPI_UNDEFINED;
  set_empty(status);
  return MPI_SUCCESS;
}

int testany(int count, MPI_Request requests[], int* indx, int* flag, MPI_Status* status) noexcept {
  Found found;
  int result = MPI_SUCCESS;
  return found.find(count, requests, &result) ? any(found, requests, indx, flag, status, Then::kTake) : result;
}

int request_get_status_any(int count, const MPI_Request requests[], int* indx, int* flag, MPI_Status* status) noexcept {
  Found found;
  int result = MPI_SUCCESS;
  return found.find(count, requests, &result) ? any(found, nullptr, indx, flag, status, Then::kLook) : result;
}

int waitsome(int incount, MPI_Request requests[], int* outcount, int indices[], MPI_Status* statuses) noexcept {
  Found found;
  int result = MPI_SUCCESS;
  if (!found.find(incount, requests, &result)) {
    return result;
  }
  if (found.any_active()) {
    (void)found.wait_for_any();
  }
  return some(found, requests, outcount, indices, statuses, Then::kTake);
}

int testsome(int incount, MPI_Request requests[], int* outcount, int indices[], MPI_Status* statuses) noexcept {
  Found found;
  int result = MPI_SUCCESS;
  return found.find(incount, requests, &result) ? some(found, requests, outcount, indices, statuses, Then::kTake)
                                                : result;
}

int request_get_status_some(int incount, const MPI_Request requests[], int* outcount, int indices[],
                            MPI_Status* statuses) noexcept {
  Found found;
  int result = MPI_SUCCESS;
  return found.find(incount, requests, &result) ? some(found, nullptr, outcount, indices, statuses, Then::kLook)
                                                : result;
}

}  // namespace weft::mpi
