#include "dsm/range.hpp"

#include "os/mapping.hpp"

namespace weft::dsm {
namespace {

#if defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define WEFT_LOW_PLACES
#endif
#endif
#if defined(__SANITIZE_THREAD__) || defined(WEFT_LOW_PLACES)
// The thread sanitizer has most addresses for itself.
constexpr std::uintptr_t kFirst = 0x0040'0000'0000;
constexpr std::uintptr_t kApart = 0x0004'0000'0000;  // 16 GiB
#else
// Far from where the kernel puts programs, heaps and mappings, and from what other sanitizers and managed languages
// take.
constexpr std::uintptr_t kFirst = 0x2000'0000'0000;
constexpr std::uintptr_t kApart = 0x0080'0000'0000;  // 512 GiB
#endif
static_assert(kPlaces <= 64);

}  // namespace

std::uintptr_t place(int number) noexcept { return kFirst + static_cast<std::uintptr_t>(number) * kApart; }

std::uint64_t take_places(std::uint64_t bytes) noexcept {
  std::uint64_t taken = 0;
  for (int k = 0; k < kPlaces; ++k) {
    if (os::reserve_at(place(k), bytes)) {
      taken |= std::uint64_t{1} << k;
    }
  }
  return taken;
}

void give_places_back(std::uint64_t taken, int kept, std::uint64_t bytes) noexcept {
  for (int k = 0; k < kPlaces; ++k) {
    if (k != kept && (taken >> k & 1) != 0) {
      os::give_back(place(k), bytes);
    }
  }
}

}  // namespace weft::dsm
