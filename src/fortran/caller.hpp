// Which Fortran routine a thread is in: messages name it, not the C routine behind it, which the program never called.
#pragma once

namespace weft::fortran {

// Initial-exec: one store, where a call to the dynamic linker would cost more than a small put.
struct Caller {
  const char* routine = nullptr;
  const void* site = nullptr;  // what it returns to
};
[[gnu::tls_model("initial-exec")]] extern constinit thread_local Caller t_caller;

/// Around the call of the C routine.
class Called {
 public:
  [[gnu::always_inline]] explicit Called(const char* routine) noexcept {
    t_caller = {routine, __builtin_return_address(0)};
  }
  ~Called() { t_caller.routine = nullptr; }
  Called(const Called&) = delete;
  Called& operator=(const Called&) = delete;
};

}  // namespace weft::fortran
