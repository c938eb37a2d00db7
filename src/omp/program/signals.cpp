// Who handles faults and traps. Pages come by faults, and atomic instructions are carried out by traps, so what a
// program, or the run-time library of its language, says about SIGSEGV, SIGBUS and SIGTRAP is for others: the one who
// says it is asked after us.
#include <dlfcn.h>
#include <signal.h>

#include "dsm/start.hpp"
#include "omp/rewrite/rewrite.hpp"

namespace weft::omp::program {
namespace {

// What takes the signals back sets handlers too.
[[gnu::tls_model("initial-exec")]] constinit thread_local bool t_taking = false;

void take_back(int number) noexcept {
  if (t_taking || (number != SIGSEGV && number != SIGBUS && number != SIGTRAP)) {
    return;
  }
  t_taking = true;
  if (number == SIGTRAP) {
    rewrite::take_traps_back();
  } else {
    dsm::handle_faults();
  }
  t_taking = false;
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
