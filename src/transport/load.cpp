#include "transport/load.hpp"

#include <dirent.h>

#include <cstdlib>
#include <cstring>
#include <memory>
#include <new>
#include <string_view>

#include "module/module.hpp"
#include "transport/offers.hpp"
#include "transport/signals_kept.hpp"

namespace weft::transport {
namespace {

constexpr const char* kOfiLibrary = "libweft_ofi.so";
constexpr const char* kTcpLibrary = "libweft_tcp.so";

bool has_entries(const char* folder) noexcept {
  DIR* open = ::opendir(folder);
  bool found = false;
  while (open != nullptr && !found) {
    const dirent* entry = ::readdir(open);
    if (entry == nullptr) {
      break;
    }
    found = entry->d_name[0] != '.';
  }
  if (open != nullptr) {
    (void)::closedir(open);
  }
  return found;
}

// Where the kernel has what libfabric's fast providers work with: RDMA devices of any make, Slingshot's.
bool has_fast_device() noexcept { return has_entries("/sys/class/infiniband") || has_entries("/sys/class/cxi"); }

// A device alone is not enough: it may have no link, or libfabric no provider for it.
bool libfabric_is_faster() noexcept {
  const SignalsKept kept;
  const auto function = module::function_of(kOfiLibrary, kOffersFunction);
  const std::unique_ptr<Offers> offers(new (std::nothrow) Offers);
  if (!function || offers == nullptr) {
    return false;
  }
  reinterpret_cast<OffersFunction> (*function)(nullptr, offers.get());
  for (int k = 0; k < offers->n; ++k) {
    if (offers->offers[k].chosen) {
      const std::string_view name = offers->offers[k].name;
      return !name.starts_with("tcp") && !name.starts_with("net") && !name.starts_with("sockets");
    }
  }
  return false;
}

}  // namespace

const char* name_of(Leaf leaf) noexcept { return leaf == Leaf::kTcp ? "tcp" : "ofi"; }

Leaf choose_leaf(const base::Options& options) noexcept {
  switch (options.network()) {
    case base::Net::kTcp: return Leaf::kTcp;
    case base::Net::kOfi: return Leaf::kOfi;
    case base::Net::kBest: break;
  }
  const char* named = std::getenv("FI_PROVIDER");
  if (options.ofi_provider.value != nullptr || (named != nullptr && named[0] != '\0')) {
    return Leaf::kOfi;
  }
  return has_fast_device() && libfabric_is_faster() ? Leaf::kOfi : Leaf::kTcp;
}

base::Result<Transport*> load(const base::Options& options, Setup setup, Leaf* leaf) noexcept {
  *leaf = choose_leaf(options);
  setup.provider = options.ofi_provider.value;
  setup.interface = options.net_interface.value;
  const SignalsKept kept;
  const auto function = module::function_of(*leaf == Leaf::kTcp ? kTcpLibrary : kOfiLibrary, kOpenFunction);
  if (!function) {
    return *leaf == Leaf::kTcp
               ? base::Error::make(
                     "a job of several nodes needs libweft_tcp.so beside libweft.so; install Weft anew (%s)",
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
