#include "os/cpus.hpp"

#include <sched.h>

#include <algorithm>

#include "os/memory_info.hpp"

namespace weft::os {

int usable_cpus() noexcept {
  cpu_set_t set;
  CPU_ZERO(&set);
  int cpus = 1;
  if (::sched_getaffinity(0, sizeof set, &set) == 0) {
    cpus = std::max(1, CPU_COUNT(&set));
  }
  const int quota = cpu_quota();
  return quota > 0 ? std::min(cpus, quota) : cpus;
}

}  // namespace weft::os
