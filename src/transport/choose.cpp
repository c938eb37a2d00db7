#include "transport/choose.hpp"

#include <dirent.h>

#include <cstdlib>
#include <string_view>

namespace weft::transport {
namespace {

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

}  // namespace

// RDMA devices of any make, and Slingshot's.
bool has_fast_device() noexcept { return has_entries("/sys/class/infiniband") || has_entries("/sys/class/cxi"); }

const char* name_of(Leaf leaf) noexcept { return leaf == Leaf::kTcp ? "tcp" : "ofi"; }

std::optional<Leaf> leaf_asked_for(const base::Options& options) noexcept {
  switch (options.network()) {
    case base::Net::kTcp: return Leaf::kTcp;
    case base::Net::kOfi: return Leaf::kOfi;
    case base::Net::kBest: break;
  }
  const char* named = ::secure_getenv("FI_PROVIDER");
  if (options.ofi_provider.value != nullptr || (named != nullptr && named[0] != '\0')) {
    return Leaf::kOfi;
  }
  return std::nullopt;
}

bool is_faster_than_tcp(const Offers& offers) noexcept {
  for (int k = 0; k < offers.n; ++k) {
    if (offers.offers[k].chosen) {
      const std::string_view name = offers.offers[k].name;
      return !name.starts_with("tcp") && !name.starts_with("net") && !name.starts_with("sockets");
    }
  }
  return false;
}

}  // namespace weft::transport
