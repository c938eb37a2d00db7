#include "shmem/near.hpp"

#include "job/node.hpp"

namespace weft::shmem {

constinit NearObjects g_near_objects;
constinit NearPes g_near_pes;

void open_near(const job::Node& node) noexcept {
  const memory::Space& space = node.space;
  const memory::Range heap = space.blocks();
  const memory::Range statics = space.statics();
  g_near_pes = {space.peer(0, 0), space.stride(), static_cast<std::uint32_t>(node.first_here),
                static_cast<std::uint32_t>(node.run_here), !node.amo_by_network};
  g_near_objects = {heap.lo, heap.bytes(), NearObjects::starts_in(heap.bytes()), 0, 0};
  // Some layouts have constants between the variables; those are told apart on the other way.
  if (statics.bytes() > 0 && space.symmetric(statics.lo, statics.bytes())) {
    g_near_objects.statics = statics.lo;
    g_near_objects.statics_bytes = statics.bytes();
  }
}

void close_near() noexcept { g_near_objects = {}; }

}  // namespace weft::shmem
