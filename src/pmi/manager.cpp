#include "pmi/manager.hpp"

#include "base/lines.hpp"
#include "base/words.hpp"
#include "boot/enter.hpp"

namespace weft::pmi {

// Two speak, in case one of them is who is missed; more would be noise.
void tell_of_long_fence(const Manager& manager) noexcept {
  if (manager.rank() <= 1) {
    base::say(base::words().begin,
              "PE %d has waited for %d seconds for all %d PEs to call it; if one has ended without, end the job",
              manager.rank(), kLongFenceSeconds, manager.size());
  }
}

base::Result<void> check_place(std::int64_t rank, std::int64_t size) noexcept {
  if (size < 1 || size > boot::kMostJobPes || rank < 0 || rank >= size) {
    return base::Error::make(
        "the launcher says that this is process %lld of %lld, counted from 0; jobs of Weft have 1 to %d PEs",
        static_cast<long long>(rank), static_cast<long long>(size), boot::kMostJobPes);
  }
  return {};
}

}  // namespace weft::pmi
