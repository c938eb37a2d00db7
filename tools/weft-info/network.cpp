// What jobs of several nodes would use. The library that knows is loaded here as in such a job; it takes some time.
#include <dlfcn.h>

#include <memory>

#include "about.hpp"
#include "base/options.hpp"
#include "build.hpp"
#include "modules.hpp"
#include "transport/choose.hpp"
#include "transport/offers.hpp"
#include "transport/signals_kept.hpp"
#include "transport/transport.hpp"
#include "transport/tuning.hpp"

namespace weft::info {
namespace {

// Values that are not understood are told of with the other options; here the rest shall be seen all the same.
base::Options options_as_far_as_understood() {
  const base::Result<base::Options> options = base::read_options();
  return options ? *options : *base::read_options([](const char*) -> const char* { return nullptr; });
}

CopySize copy_size(const base::Options& options, const char* provider) {
  CopySize copy{weft::transport::kCopyBytes, "default", "", ""};
  char path[weft::transport::kTuningPathRoom];
  if (weft::transport::tuning_path(options, path, sizeof path)) copy.file = path;
  const auto choice = weft::transport::choose_copy(options, provider);
  if (choice) {
    copy.bytes = choice->bytes;
    copy.by = choice->by;
    copy.problem = choice->problem.text();
  } else {
    copy.problem = choice.error().text();
  }
  return copy;
}

// Fills in what libfabric offers. True: something faster than TCP.
bool ask_libfabric(const base::Options& options, Network& network) {
  const weft::transport::SignalsKept kept;
  const Module module = load_module("libweft_ofi.so");
  if (module.library == nullptr) {
    network.problem = WEFT_INFO_LIBFABRIC != 0 ? module.why : "Weft was built without libfabric";
    return false;
  }
  const auto ask =
      reinterpret_cast<weft::transport::OffersFunction>(::dlsym(module.library, weft::transport::kOffersFunction));
  if (ask == nullptr) {
    network.problem = "libweft_ofi.so is of another version; install Weft anew";
    return false;
  }
  const auto offers = std::make_unique<weft::transport::Offers>();
  ask(options.ofi_provider.value, offers.get());
  network.library = offers->library;
  network.problem = offers->problem;
  network.left_out = offers->left_out;
  for (int k = 0; k < offers->n; ++k) {
    const weft::transport::Offer& offer = offers->offers[k];
    network.offers.push_back({.name = offer.name,
                              .address = offer.address,
                              .usable = offer.reason[0] == '\0',
                              .chosen = offer.chosen,
                              .why = offer.reason,
                              .amo_cpu_coherent = offer.amo_cpu_coherent,
                              .inject_bytes = offer.inject_bytes});
  }
  return weft::transport::is_faster_than_tcp(*offers);
}

}  // namespace

Network network() {
  Network network;
  const base::Options options = options_as_far_as_understood();
  const bool libfabric_is_faster = ask_libfabric(options, network);
  const auto leaf = weft::transport::choose_leaf(options, [&] { return libfabric_is_faster; });
  network.use = weft::transport::name_of(leaf);
  if (leaf == weft::transport::Leaf::kTcp) {
    const Module module = load_module("libweft_tcp.so");
    network.problem = module.library == nullptr ? module.why : "";
  }
  std::string chosen = "tcp";
  for (Offer& offer : network.offers) {
    if (!offer.chosen) continue;
    if (leaf == weft::transport::Leaf::kTcp) {
      offer.chosen = false;
    } else {
      chosen = offer.name;
    }
  }
  network.copy = copy_size(options, chosen.c_str());
  return network;
}

Transport transport_of(const Network& network) {
  Transport transport{
      "network", "PEs on several nodes reach each other by TCP or libfabric", network.problem.empty(), "", {}};
  transport.why = network.problem;
  if (transport.usable && network.use == "tcp") transport.why = "connections of Weft's own";
  for (const Offer& offer : network.offers) {
    if (offer.chosen) transport.why = network.library + ", provider " + offer.name + " at " + offer.address;
  }
  transport.needs.push_back({network.use == "tcp" ? "libweft_tcp.so" : "libweft_ofi.so", true, network.problem.empty(),
                             network.problem.empty() ? "loaded by jobs of several nodes only" : network.problem});
  return transport;
}

}  // namespace weft::info
