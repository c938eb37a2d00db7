#include "pmi/manager.hpp"

#include "base/report.hpp"

namespace weft::pmi {

// Two speak, in case one of them is who is missed; more would be noise.
void tell_of_long_fence(const Manager& manager) noexcept {
  if (manager.rank() <= 1) {
    base::say("shmem_init",
              "PE %d has waited for %d seconds for all %d PEs to call it; if one has ended without, end the job",
              manager.rank(), kLongFenceSeconds, manager.size());
  }
}

}  // namespace weft::pmi
