// Who handles faults. Pages come by them, so what a program, or the run-time library of its language, says about
// SIGSEGV and SIGBUS is for those that are not about pages: the one who says it is asked after us.
#include <dlfcn.h>
#include <signal.h>

#include "dsm/start.hpp"

namespace weft::omp::program {
namespace {

// What takes the signals back sets handlers too.
[[gnu::tls_model("initial-exec")]] constinit thread_local bool t_taking = false;

void take_back(int number) noexcept {
  if ((number == SIGSEGV || number == SIGBUS) && !t_taking) {
    t_taking = true;
    dsm::handle_faults();
    t_taking = false;
  }
}

}  // namespace
}  // namespace weft::omp::program

#pragma GCC visibility push(default)
extern "C" {

int sigaction(int number, const struct sigaction* action, struct sigaction* before) noexcept {
  using Function = int(int, const struct sigaction*, struct sigaction*);
  static auto* const real = reinterpret_cast<Function*>(::dlsym(RTLD_NEXT, "sigaction"));
  const int status = real(number, action, before);
  if (action != nullptr) {
    weft::omp::program::take_back(number);
  }
  return status;
}
sighandler_t signal(int number, sighandler_t handler) noexcept {
  using Function = sighandler_t(int, sighandler_t);
  static auto* const real = reinterpret_cast<Function*>(::dlsym(RTLD_NEXT, "signal"));
  const sighandler_t before = real(number, handler);
  weft::omp::program::take_back(number);
  return before;
}

}  // extern "C"
#pragma GCC visibility pop
