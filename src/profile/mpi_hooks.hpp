// What happens around each function of MPI while a profile is made (interpose/wrapper.hpp).
#pragma once

#include "interpose/mpi_invocation.hpp"
#include "profile/clock.hpp"
#include "profile/mpi_messages.hpp"
#include "profile/mpi_windows.hpp"
#include "profile/probe.hpp"

namespace weft::profile {

constexpr Kind kind_of(api::mpi::Op operation) { return api::mpi::kKindOf[static_cast<std::size_t>(operation)]; }

/// Nobody leaves it before all have come.
constexpr bool is_meeting(api::mpi::Op operation) {
  using enum api::mpi::Op;
  switch (operation) {
    case allgather:
    case allgatherv:
    case allreduce:
    case alltoall:
    case alltoallv:
    case alltoallw:
    case barrier:
    case finalize:
    case reduce_scatter:
    case reduce_scatter_block: return true;
    default: return false;
  }
}

constexpr bool makes_communicator(api::mpi::Op operation) {
  using enum api::mpi::Op;
  switch (operation) {
    case comm_create:
    case comm_create_group:
    case comm_dup:
    case comm_dup_with_info:
    case comm_split:
    case comm_split_type:
    case intercomm_merge: return true;
    default: return false;
  }
}

/// Counts one call: what it moved, how long it took, and for whom it waited.
class MpiCall {
 public:
  MpiCall(const interpose::MpiInvocation& call, Kind kind, bool meets, WindowUse use = {}) noexcept;
  ~MpiCall();
  MpiCall(const MpiCall&) = delete;
  MpiCall& operator=(const MpiCall&) = delete;

 private:
  void end_in_window() noexcept;

  const interpose::MpiInvocation& call_;
  Kind kind_;
  bool meets_;
  WindowUse use_;
  Passed before_;
  Probe probe_;
  MeetingBook::Ticket ticket_;
};

/// Opens the recording when the library has been started.
class MpiStarting {
 public:
  explicit MpiStarting(const interpose::MpiInvocation& call) noexcept;
  ~MpiStarting();
  MpiStarting(const MpiStarting&) = delete;
  MpiStarting& operator=(const MpiStarting&) = delete;

 private:
  const interpose::MpiInvocation& call_;
  Moment moment_;
};

/// Who is in a communicator is asked once: when it was made, and it is forgotten when it is freed.
void learn_members(const MPI_Comm* made) noexcept;
void forget_members(const MPI_Comm* freed) noexcept;

void note_mpi_end(bool finalised) noexcept;
void control_mpi(int level) noexcept;

}  // namespace weft::profile

namespace weft::hooks {

template <api::mpi::Op operation, class Real, class... Arguments>
auto around(const interpose::MpiInvocation& call, Real* real, Arguments... arguments) -> decltype(real(arguments...)) {
  using api::mpi::Op;
  constexpr profile::Kind kKind = profile::kind_of(operation);
  if constexpr (operation == Op::init || operation == Op::init_thread) {
    const profile::MpiStarting starting(call);
    return real(arguments...);
  } else if constexpr (operation == Op::abort) {
    { const profile::MpiCall counted(call, kKind, false); }
    profile::note_mpi_end(false);  // it does not return
    return real(arguments...);
  } else if constexpr (operation == Op::pcontrol) {
    profile::control_mpi(arguments...);
    return real(arguments...);
  } else if constexpr (operation == Op::finalize) {
    int result = MPI_SUCCESS;
    {
      const profile::MpiCall counted(call, kKind, true);
      result = real(arguments...);
    }
    profile::note_mpi_end(true);
    return result;
  } else if constexpr (profile::makes_communicator(operation)) {
    const profile::MpiCall counted(call, kKind, false);
    const int result = real(arguments...);
    if (result == MPI_SUCCESS) {
      profile::learn_members(call.changed);
    }
    return result;
  } else if constexpr (profile::makes_window(operation)) {
    const profile::MpiCall counted(call, kKind, false);
    const int result = real(arguments...);
    if (result == MPI_SUCCESS) {
      profile::learn_window(call);
    }
    return result;
  } else if constexpr (operation == Op::win_set_name) {
    const profile::MpiCall counted(call, kKind, false);
    profile::name_window(arguments...);
    return real(arguments...);
  } else {
    if constexpr (operation == Op::comm_free) {
      profile::forget_members(call.changed);
    } else if constexpr (operation == Op::win_free) {
      profile::forget_window(call.made);
    }
    const profile::MpiCall counted(call, kKind, profile::is_meeting(operation), profile::use_of(operation));
    return real(arguments...);
  }
}

}  // namespace weft::hooks
