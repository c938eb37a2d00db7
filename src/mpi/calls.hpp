// The numbers of this front end's functions (api/mpi/calls.hpp) among those of all.
#pragma once

#include "api/mpi/calls.hpp"
#include "boot/job.hpp"
#include "job/node.hpp"

namespace weft::mpi {

static_assert(static_cast<job::CallNumber>(api::mpi::Call::kNone) >> job::kInterfaceShift ==
              static_cast<job::CallNumber>(boot::Interface::kMpi));

[[gnu::always_inline]] inline void enter(api::mpi::Call call, const void* site) noexcept {
  job::enter(static_cast<job::CallNumber>(call), site);
}

/// Around a function of the program that is called in a call: it may make calls, and messages go on naming that one.
class CallKept {
 public:
  CallKept() noexcept : entered_(job::t_entered) {}
  ~CallKept() { job::t_entered = entered_; }
  CallKept(const CallKept&) = delete;
  CallKept& operator=(const CallKept&) = delete;

 private:
  job::Entered entered_;
};

}  // namespace weft::mpi
