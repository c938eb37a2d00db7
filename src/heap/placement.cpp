#include "heap/placement.hpp"

#include <dlfcn.h>
#include <link.h>

#include <climits>
#include <cstdio>

#include "os/huge_pages.hpp"

namespace weft::heap {
namespace {

// By the folder that libweft.so was loaded from, and no search: so an installation can be moved, and the two are always
// of one version.
bool library_path(char* path, std::size_t room) noexcept {
  Dl_info info{};
  link_map* self = nullptr;
  char folder[PATH_MAX];
  const auto* here = reinterpret_cast<const void*>(&library_path);
  if (::dladdr1(here, &info, reinterpret_cast<void**>(&self), RTLD_DL_LINKMAP) == 0 ||
      ::dlinfo(self, RTLD_DI_ORIGIN, folder) != 0) {
    return false;
  }
  return std::snprintf(path, room, "%s/libweft_placement.so", folder) < static_cast<int>(room);
}

base::Result<PlaceFunction> load() noexcept {
  char path[PATH_MAX];
  if (!library_path(path, sizeof path)) {
    return base::Error::make("cannot find out where libweft.so lies");
  }
  // It stays: the library may start again, and what it has loaded cannot always be unloaded.
  void* library = ::dlopen(path, RTLD_NOW | RTLD_LOCAL);
  void* function = library == nullptr ? nullptr : ::dlsym(library, kPlaceFunction);
  if (function == nullptr) {
    return base::Error::make("cannot load it: %s", ::dlerror());
  }
  return reinterpret_cast<PlaceFunction>(function);
}

}  // namespace

base::Result<void> place(const Range& heap, base::Numa how, bool hugetlb) noexcept {
  if (how == base::Numa::kOwner) {
    return {};
  }
  const char* word = base::option_choices("numa")[static_cast<int>(how)];
  const auto function = load();
  if (!function) {
    return base::Error::make(
        "WEFT_NUMA=%s needs libweft_placement.so, which Weft has when it was built with hwloc; install Weft anew or "
        "unset WEFT_NUMA (%s)",
        word, function.error().text());
  }
  char why[base::Error::kMaxText - 64] = {};
  if ((*function)(reinterpret_cast<void*>(heap.lo), heap.bytes(), static_cast<int>(how), why, sizeof why) != 0) {
    return base::Error::make("WEFT_NUMA=%s: %s, or unset WEFT_NUMA", word, why);
  }
  if (hugetlb) {
    // A file in memory keeps the policy for all who map it (placement/placement.cpp), one of reserved huge pages does
    // not: there a peer's first touch would go by the peer's policy. So there is none left to make.
    if (const auto taken = os::take_hugetlb_pages(heap.lo, heap.bytes()); !taken) {
      return base::Error::make("WEFT_NUMA=%s: %s, or unset WEFT_NUMA", word, taken.error().text());
    }
  }
  return {};
}

}  // namespace weft::heap
