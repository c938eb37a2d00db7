// weft-bindings N BIND MAP: the processors of each of N PEs, a line for each. oshrun runs it when it is to bind PEs: it
// is what needs hwloc, and oshrun does not.
#include <hwloc.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <optional>

#include "placement/bindings.hpp"

namespace {

using namespace weft;

std::optional<placement::Unit> unit_of(const char* word) {
  for (int k = 0; k < 3; ++k) {
    if (std::strcmp(word, placement::kUnitWords[k]) == 0) return static_cast<placement::Unit>(k);
  }
  return std::nullopt;
}

// What the job may use of the machine: what its control group allows, and of that what we ourselves are bound to.
base::Result<void> look(hwloc_topology_t machine) {
  if (hwloc_topology_load(machine) != 0) {
    return base::Error::make("hwloc cannot find out what this machine is made of (%s); see what lstopo says",
                             std::strerror(errno));
  }
  // Its numbers would be another machine's.
  if (hwloc_topology_is_thissystem(machine) == 0) {
    return base::Error::make(
        "hwloc was told of another machine than this one; unset HWLOC_SYNTHETIC, HWLOC_XMLFILE, HWLOC_FSROOT and the "
        "like");
  }
  hwloc_bitmap_t usable = hwloc_bitmap_alloc();
  const bool known = hwloc_get_cpubind(machine, usable, HWLOC_CPUBIND_PROCESS) == 0 &&
                     hwloc_topology_restrict(machine, usable, HWLOC_RESTRICT_FLAG_REMOVE_CPULESS) == 0;
  const int why = errno;
  hwloc_bitmap_free(usable);
  if (known) return {};
  return base::Error::make("cannot find out on which processors this job may run (%s); see what `taskset -p` says",
                           std::strerror(why));
}

int fail(const char* text) {
  (void)std::printf("%s\n", text);  // to oshrun, which says what it is about
  return 1;
}

}  // namespace

int main(int argc, char** argv) {
  const int n_pes = argc == 4 ? static_cast<int>(std::strtol(argv[1], nullptr, 10)) : 0;
  const auto bind = argc == 4 ? unit_of(argv[2]) : std::nullopt;
  const auto map = argc == 4 ? unit_of(argv[3]) : std::nullopt;
  if (n_pes < 1 || !bind || !map) {
    (void)std::fputs("usage: weft-bindings N core|socket|numa core|socket|numa\n", stderr);
    return 2;
  }
  hwloc_topology_t machine = nullptr;
  if (hwloc_topology_init(&machine) != 0) return fail("hwloc found no memory");
  const base::Result<void> looked = look(machine);
  if (!looked) return fail(looked.error().text());
  const auto chosen = placement::choose_bindings(machine, n_pes, *bind, *map);
  if (!chosen) return fail(chosen.error().text());
  for (const std::string& list : *chosen) (void)std::printf("%s\n", list.c_str());
  hwloc_topology_destroy(machine);
  return 0;
}
