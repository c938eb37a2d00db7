#include "transport/load.hpp"

#include "module/module.hpp"
#include "transport/signals_kept.hpp"

namespace weft::transport {

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
