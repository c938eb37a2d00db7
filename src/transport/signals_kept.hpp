// Who handles which signal, across the loading of libraries that help themselves.
#pragma once

#include <csignal>

namespace weft::transport {

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

}  // namespace weft::transport
