#include "os/cpus.hpp"

#include <sched.h>

#include <algorithm>
#include <cstddef>

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

bool leave_processor() noexcept {
  cpu_set_t allowed;
  CPU_ZERO(&allowed);
  const int here = ::sched_getcpu();
  if (here < 0 || here >= CPU_SETSIZE || ::sched_getaffinity(0, sizeof allowed, &allowed) != 0) {
    return false;
  }
  cpu_set_t others = allowed;
  CPU_CLR(static_cast<std::size_t>(here), &others);
  return CPU_COUNT(&others) > 0 && ::sched_setaffinity(0, sizeof others, &others) == 0 &&
         ::sched_setaffinity(0, sizeof allowed, &allowed) == 0;
}

}  // namespace weft::os
