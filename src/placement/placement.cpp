// What libweft.so calls, once for each shmem_init (memory/numa.hpp).
#include <hwloc.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <type_traits>

#include "base/result.hpp"
#include "memory/numa.hpp"
#include "placement/nodes.hpp"

namespace weft::placement {
namespace {

struct Bitmap {
  hwloc_bitmap_t bits = hwloc_bitmap_alloc();
  Bitmap() = default;
  Bitmap(const Bitmap&) = delete;
  Bitmap& operator=(const Bitmap&) = delete;
  ~Bitmap() { hwloc_bitmap_free(bits); }
};

struct Machine {
  hwloc_topology_t topology = nullptr;
  Machine() = default;
  Machine(const Machine&) = delete;
  Machine& operator=(const Machine&) = delete;
  ~Machine() {
    if (topology != nullptr) {
      hwloc_topology_destroy(topology);
    }
  }
};

// hwloc takes what it allocates for granted. It needs one to a few MiB, by the size of the machine.
bool has_room_for_hwloc() noexcept {
  constexpr std::size_t kRoom = std::size_t{8} << 20;
  void* tried = std::malloc(kRoom);
  asm volatile("" : : "r"(tried) : "memory");  // else a compiler leaves both calls out
  const bool is_there = tried != nullptr;
  std::free(tried);
  return is_there;
}

base::Result<void> look(Machine* machine) noexcept {
  if (!has_room_for_hwloc()) {
    return base::Error::make("there is no memory left to find out what this machine is made of; start fewer PEs");
  }
  // The program may have brought another one along, whose functions come first.
  if (hwloc_get_api_version() >> 16 != HWLOC_API_VERSION >> 16) {
    return base::Error::make("the program has loaded hwloc %u and Weft was built with hwloc %d; use the same for both",
                             hwloc_get_api_version() >> 16, HWLOC_API_VERSION >> 16);
  }
  // Processors and nodes are always there; the rest (caches, devices) would only take time.
  if (hwloc_topology_init(&machine->topology) != 0 ||
      hwloc_topology_set_all_types_filter(machine->topology, HWLOC_TYPE_FILTER_KEEP_NONE) != 0 ||
      hwloc_topology_load(machine->topology) != 0) {
    return base::Error::make("hwloc cannot find out what this machine is made of (%s); see what lstopo says",
                             std::strerror(errno));
  }
  // hwloc would say yes to everything and do nothing.
  if (hwloc_topology_is_thissystem(machine->topology) == 0) {
    return base::Error::make(
        "hwloc was told of another machine than this one; unset HWLOC_SYNTHETIC, HWLOC_XMLFILE, HWLOC_FSROOT and the "
        "like");
  }
  return {};
}

base::Error refused(const Bitmap& nodes) noexcept {
  const int cause = errno;
  char list[64] = {};
  hwloc_bitmap_list_snprintf(list, sizeof list, nodes.bits);
  const char* remedy = "see what `numactl --hardware` says of them";
  if (cause == EPERM) {
    remedy = "in a container allow mbind (docker run --cap-add SYS_NICE)";
  } else if (cause == ENOSYS) {
    remedy = "use a kernel with support for NUMA";
  }
  return base::Error::make("the kernel did not let the heap be placed on node %s (%s); %s", list, std::strerror(cause),
                           remedy);
}

// The heap is a part of a file in memory that all PEs map, and such a file keeps the policy itself, for each range of
// its pages: so it also holds for pages that a peer touches first. Of private memory, which a PE that is alone has, and
// of a file of reserved huge pages the mapping keeps it (memory/numa.cpp).
base::Result<void> place(void* at, std::size_t bytes, base::Numa how) noexcept {
  Machine machine;
  if (const auto looked = look(&machine); !looked) {
    return looked;
  }
  const Bitmap cpus;
  const Bitmap nodes;
  // Of all threads: which of them touches a page is not known.
  if (hwloc_get_cpubind(machine.topology, cpus.bits, HWLOC_CPUBIND_PROCESS) != 0) {
    return base::Error::make("cannot find out on which processors this PE may run (%s); see what `taskset -p` says",
                             std::strerror(errno));
  }
  choose_nodes(machine.topology, how, cpus.bits, nodes.bits);
  // Strict: else hwloc takes bind for a wish.
  const auto policy = how == base::Numa::kBind ? HWLOC_MEMBIND_BIND : HWLOC_MEMBIND_INTERLEAVE;
  if (hwloc_set_area_membind(machine.topology, at, bytes, nodes.bits, policy,
                             HWLOC_MEMBIND_BYNODESET | HWLOC_MEMBIND_STRICT) != 0) {
    return refused(nodes);
  }
  return {};
}

}  // namespace
}  // namespace weft::placement

extern "C" [[gnu::visibility("default")]] int weft_place(void* at, std::size_t bytes, int how, char* why,
                                                         std::size_t room) {
  const auto placed = weft::placement::place(at, bytes, static_cast<weft::base::Numa>(how));
  if (!placed) {
    (void)std::snprintf(why, room, "%s", placed.error().text());
  }
  return placed ? 0 : -1;
}
static_assert(std::is_same_v<decltype(&weft_place), weft::memory::PlaceFunction>);
