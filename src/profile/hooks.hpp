// What happens around each routine while a profile is made (interpose/wrapper.hpp).
#pragma once

#include "interpose/invocation.hpp"
#include "profile/mpi_hooks.hpp"
#include "profile/operations.hpp"
#include "profile/probe.hpp"

namespace weft::profile {

/// A PE of a context in the world's numbers.
int pe_of_context(shmem_ctx_t ctx, int pe) noexcept;
inline int world_pe(shmem_ctx_t ctx, int pe) noexcept { return ctx == SHMEM_CTX_DEFAULT ? pe : pe_of_context(ctx, pe); }

MeetingBook::Ticket come(const Probe& probe, const interpose::Invocation& call) noexcept;

void note_heap() noexcept;
void note_end(api::Op operation) noexcept;

/// Counts one call: what it moved, to whom, and how long it took.
template <api::Op operation>
class Counted {
 public:
  explicit Counted(const interpose::Invocation& call)
      : bytes_(bytes_of<operation>(call)),
        pe_(call.pe),
        ctx_(call.ctx),
        probe_(begin(static_cast<std::uint32_t>(call.call), kKind, call.site)) {
    if constexpr (is_meeting(operation)) {
      ticket_ = come(probe_, call);
    }
  }
  ~Counted() {
    if constexpr (is_meeting(operation)) {
      end_meeting(probe_, kKind, bytes_, ticket_);
    } else {
      end(probe_, kKind, bytes_, has_peer(kKind) ? world_pe(ctx_, pe_) : -1);
    }
    if constexpr (changes_heap(operation)) {
      note_heap();
    }
    if constexpr (operation == api::Op::finalize) {
      note_end(operation);
    }
  }
  Counted(const Counted&) = delete;
  Counted& operator=(const Counted&) = delete;

 private:
  static constexpr Kind kKind = kind_of(operation);
  std::size_t bytes_;
  int pe_;
  shmem_ctx_t ctx_;
  Probe probe_;
  MeetingBook::Ticket ticket_;
};

/// Opens the recording when the library has been started.
class Starting {
 public:
  explicit Starting(const interpose::Invocation& call) noexcept;
  ~Starting();
  Starting(const Starting&) = delete;
  Starting& operator=(const Starting&) = delete;

 private:
  const interpose::Invocation& call_;
  Moment moment_;
};

}  // namespace weft::profile

namespace weft::hooks {

template <api::Op operation, class Real, class... Arguments>
auto around(const interpose::Invocation& call, Real* real, Arguments... arguments) -> decltype(real(arguments...)) {
  using api::Op;
  if constexpr (profile::starts_library(operation)) {
    const profile::Starting starting(call);
    return real(arguments...);
  } else if constexpr (operation == Op::global_exit) {
    { const profile::Counted<operation> counted(call); }
    profile::note_end(operation);  // it does not return
    return real(arguments...);
  } else if constexpr (operation == Op::pcontrol) {
    profile::control(arguments...);
    return real(arguments...);
  } else {
    const profile::Counted<operation> counted(call);
    return real(arguments...);
  }
}

}  // namespace weft::hooks
