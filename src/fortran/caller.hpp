// Which Fortran routine a thread is in: messages name it, not the C routine behind it, which the program never called.
#pragma once

namespace weft::fortran {

// Initial-exec: one store, where a call to the dynamic linker would cost more than a small put.
[[gnu::tls_model("initial-exec")]] extern constinit thread_local const char* t_caller;

/// Around the call of the C routine.
class Called {
 public:
  explicit Called(const char* routine) noexcept { t_caller = routine; }
  ~Called() { t_caller = nullptr; }
  Called(const Called&) = delete;
  Called& operator=(const Called&) = delete;
};

}  // namespace weft::fortran
