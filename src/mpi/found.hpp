// The requests of a call that is about several.
#pragma once

#include <mpi.h>

#include <array>
#include <memory>
#include <new>

#include "job/notes.hpp"
#include "mpi/errors.hpp"
#include "mpi/requests.hpp"
#include "msg/messages.hpp"

namespace weft::mpi {

/// The requests that an array's handles stand for: null for null handles.
class Found {
 public:
  /// False, with the call's result.
  bool find(int count, const MPI_Request* handles, int* result) noexcept {
    if (count < 0 || (count > 0 && handles == nullptr)) {
      *result = count < 0 ? raise(nullptr, MPI_ERR_COUNT, "count: %d is negative", count)
                          : raise(nullptr, MPI_ERR_ARG, "array_of_requests: is null");
      return false;
    }
    count_ = count;
    const auto size = static_cast<std::size_t>(count);
    if (size > few_.size()) {
      many_.reset(new (std::nothrow) Request*[size]);
      if (!many_) {
        *result = raise(nullptr, MPI_ERR_NO_MEM, "there is no memory for a list of %d requests", count);
        return false;
      }
      requests_ = many_.get();
    }
    Request* const gone = gone_request();
    const MPI_Request of_gone = gone == nullptr ? MPI_REQUEST_NULL : handle_of(*gone);
    for (std::size_t k = 0; k < size; ++k) {
      if (handles[k] == of_gone && gone != nullptr) {
        requests_[k] = gone;
        continue;
      }
      requests_[k] = is_null<Request>(handles[k]) ? nullptr : mpi::find<Request>(handles[k]);
      if (requests_[k] == nullptr && !is_null<Request>(handles[k])) {
        *result = raise_handle(nullptr, HandleKind::kRequest, handles[k], "array_of_requests");
        return false;
      }
    }
    return true;
  }
  int count() const noexcept { return count_; }
  Request* operator[](int k) const noexcept { return requests_[k]; }

  /// There is one that can become complete.
  bool any_active() const noexcept {
    for (int k = 0; k < count_; ++k) {
      if (requests_[k] != nullptr && requests_[k]->active) {
        return true;
      }
    }
    return false;
  }
  /// The first that is active and complete; -1: none.
  int any_complete() const noexcept {
    for (int k = 0; k < count_; ++k) {
      if (requests_[k] != nullptr && requests_[k]->active && is_complete(*requests_[k])) {
        return k;
      }
    }
    return -1;
  }
  bool all_complete() const noexcept {
    for (int k = 0; k < count_; ++k) {
      if (requests_[k] != nullptr && !is_complete(*requests_[k])) {
        return false;
      }
    }
    return true;
  }
  int wait_for_any() const noexcept {
    int found = any_complete();
    if (found < 0) {
      const auto done = [](void* self) noexcept { return static_cast<const Found*>(self)->any_complete() >= 0; };
      msg::wait_until(done, const_cast<Found*>(this), awaited());
      found = any_complete();
    }
    return found;
  }

 private:
  // Of one of them, for people: the first.
  job::Awaited awaited() const noexcept {
    job::Awaited one{.why = boot::Waiting::kMessage, .type = static_cast<std::uint32_t>(boot::Awaits::kProgram)};
    for (int k = count_ - 1; k >= 0; --k) {
      if (requests_[k] == nullptr || !requests_[k]->active) {
        continue;
      }
      ++one.elements;
      using Does = Request::Does;
      const Does does = requests_[k]->does;
      if (requests_[k]->nobody || (does != Does::kSend && does != Does::kReceive && does != Does::kBoth)) {
        continue;
      }
      const msg::Request& message = requests_[k]->message;
      one.type = static_cast<std::uint32_t>(boot::Awaits::kOneOf);
      one.compare = message.is_send ? boot::kToBeTaken : 0;
      one.wanted = message.context;
      one.root = message.pe;
      one.index = static_cast<std::uint32_t>(message.tag);
    }
    return one;
  }

  int count_ = 0;
  std::array<Request*, 64> few_;
  std::unique_ptr<Request*[]> many_;
  Request** requests_ = few_.data();
};

}  // namespace weft::mpi
