#include "memory/numa.hpp"

#include "module/module.hpp"
#include "os/huge_pages.hpp"

namespace weft::memory {

base::Result<void> place(const Range& heap, base::Numa how, bool hugetlb) noexcept {
  if (how == base::Numa::kOwner) {
    return {};
  }
  const char* word = base::option_choices("numa")[static_cast<int>(how)];
  const auto function = module::function_of("libweft_placement.so", kPlaceFunction);
  if (!function) {
    return base::Error::make(
        "WEFT_NUMA=%s needs libweft_placement.so, which Weft has when it was built with hwloc; install Weft anew or "
        "unset WEFT_NUMA (%s)",
        word, function.error().text());
  }
  char why[base::Error::kMaxText - 64] = {};
  if (reinterpret_cast<PlaceFunction>(*function)(reinterpret_cast<void*>(heap.lo), heap.bytes(), static_cast<int>(how),
                                                 why, sizeof why) != 0) {
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

}  // namespace weft::memory
