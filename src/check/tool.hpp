// The life of safe mode in this process, and what each call goes through.
#pragma once

#include "interpose/invocation.hpp"
#include "shmem/support.hpp"

namespace weft::check {

using interpose::Invocation;

/// Between the first shmem_init and the last shmem_finalize of a process that is no forked child.
bool ready() noexcept;
int me() noexcept;
int n_pes() noexcept;
/// What shmem_init_thread granted.
int thread_level() noexcept;

/// Where this PE's symmetric memory is.
weft_support_ranges memory() noexcept;

/// The call this thread is in; null outside.
const Invocation* current() noexcept;

/// Around each call: which call it is, for messages, and which thread makes it.
class InCall {
 public:
  explicit InCall(const Invocation& call) noexcept;
  ~InCall();
  InCall(const InCall&) = delete;
  InCall& operator=(const InCall&) = delete;

 private:
  const Invocation* outer_;
  bool counted_;
};

/// All that is looked at before and after the library's own routine. A mistake ends the program with a report.
void before(const Invocation& call) noexcept;
void after(const Invocation& call, long long result) noexcept;

}  // namespace weft::check
