#include "shmem/near.hpp"

#include "job/node.hpp"

namespace weft::shmem {

constinit NearObjects g_near_objects;
constinit NearPes g_near_pes;

NearPes near_pes_of(const job::Node& node, const group::Team& team) noexcept {
  const group::Members& members = team.members;
  NearPes pes;
  const auto is_in_run = [&node](int pe) { return static_cast<unsigned>(pe - node.first_here) < node.run_here; };
  if (members.table != nullptr || !is_in_run(members.pe(0)) || !is_in_run(members.pe(members.size - 1))) {
    return pes;
  }
  // What is between two PEs of the run is in it. A progression may go down, and then the steps wrap.
  pes.count = static_cast<std::uint32_t>(members.size);
  pes.to_first = node.space.peer(0, node.here(members.pe(0)));
  pes.stride = node.space.stride() * static_cast<std::size_t>(static_cast<std::ptrdiff_t>(members.stride));
  pes.by_processor = !node.amo_by_network || team.by_processor;
  return pes;
}

void open_near(const job::Node& node) noexcept {
  const memory::Space& space = node.space;
  const memory::Range heap = space.blocks();
  const memory::Range statics = space.statics();
  g_near_pes = {space.peer(0, 0), space.stride(), static_cast<std::uint32_t>(node.first_here),
                static_cast<std::uint32_t>(node.run_here), !node.amo_by_network};
  g_near_objects = {heap.lo, heap.bytes(), 0, 0};
  // Some layouts have constants between the variables; those are told apart on the other way.
  if (statics.bytes() > 0 && space.symmetric(statics.lo, statics.bytes())) {
    g_near_objects.statics = statics.lo;
    g_near_objects.statics_bytes = statics.bytes();
  }
}

void close_near() noexcept { g_near_objects = {}; }

}  // namespace weft::shmem
