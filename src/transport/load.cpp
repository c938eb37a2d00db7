#include "transport/load.hpp"

#include <csignal>

#include "module/module.hpp"

namespace weft::transport {
namespace {

/// Puts back at its end who handles which signal. Libraries that come with libfabric (PSM's) take SIGABRT, SIGSEGV and
/// others to print a backtrace and exit with 1, and with them what the program, Weft and oshrun make of such an end.
class SignalsKept {
 public:
  SignalsKept() noexcept {
    for (int i = 1; i < NSIG; ++i) known_[i] = ::sigaction(i, nullptr, &before_[i]) == 0;
  }
  SignalsKept(const SignalsKept&) = delete;
  SignalsKept& operator=(const SignalsKept&) = delete;
  ~SignalsKept() {
    for (int i = 1; i < NSIG; ++i) {
      if (known_[i]) (void)::sigaction(i, &before_[i], nullptr);
    }
  }

 private:
  struct sigaction before_[NSIG] = {};
  bool known_[NSIG] = {};
};

}  // namespace

base::Result<Transport*> load(const Setup& setup) noexcept {
  const SignalsKept kept;
  const auto function = module::function_of("libweft_ofi.so", kOpenFunction);
  if (!function) {
    return base::Error::make(
        "a job of several nodes needs libweft_ofi.so, which Weft has when it was built with libfabric; install "
        "libfabric and Weft anew (%s)",
        function.error().text());
  }
  char why[base::Error::kMaxText] = {};
  Transport* made = reinterpret_cast<OpenFunction>(*function)(setup, why, sizeof why);
  if (made == nullptr) {
    return base::Error::make("%s", why);
  }
  return made;
}

}  // namespace weft::transport
