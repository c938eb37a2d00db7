#include "transport/load.hpp"

#include <algorithm>
#include <memory>
#include <new>

#include "module/module.hpp"
#include "transport/offers.hpp"
#include "transport/signals_kept.hpp"

namespace weft::transport {
namespace {

constexpr const char* kOfiLibrary = "libweft_ofi.so";
constexpr const char* kTcpLibrary = "libweft_tcp.so";

bool libfabric_is_faster() noexcept {
  const SignalsKept kept;
  const auto function = module::function_of(kOfiLibrary, kOffersFunction);
  const std::unique_ptr<Offers> offers(new (std::nothrow) Offers);
  if (!function || offers == nullptr) {
    return false;
  }
  reinterpret_cast<OffersFunction> (*function)(nullptr, offers.get());
  return is_faster_than_tcp(*offers);
}

}  // namespace

base::Result<Transport*> load(const base::Options& options, Setup setup, Leaf* leaf) noexcept {
  *leaf = choose_leaf(options, libfabric_is_faster);
  setup.provider = options.ofi_provider.value;
  setup.interface = options.net_interface.value;
  setup.ports = options.net_ports.value;
  if (options.net_timeout.value >= 0) {
    constexpr std::int64_t kDay = 86400;
    setup.timeout = static_cast<int>(std::min(options.net_timeout.value, kDay));
  }
  const SignalsKept kept;
  const auto function = module::function_of(*leaf == Leaf::kTcp ? kTcpLibrary : kOfiLibrary, kOpenFunction);
  if (!function) {
    return *leaf == Leaf::kTcp
               ? base::Error::make(
                     "a job of several nodes needs libweft_tcp.so beside libweft.so, which Weft has when it was built "
                     "with libsodium; install Weft anew (%s)",
                     function.error().text())
               : base::Error::make(
                     "libfabric is asked for, and that needs libweft_ofi.so, which Weft has when it was built with "
                     "libfabric; install libfabric and Weft anew, or set WEFT_NET=tcp (%s)",
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
