// The files of a node of a job that somebody else's launcher has started: its first PE makes them, the others open
// them.
#pragma once

#include <cstdint>

#include "base/options.hpp"
#include "base/result.hpp"
#include "boot/enter.hpp"
#include "pmi/identity.hpp"
#include "pmi/manager.hpp"
#include "pmi/names.hpp"

namespace weft::pmi {

/// The lowest PE that is proven to be on this machine, of those that have names there; this one itself if it is the
/// lowest.
base::Result<int> find_leader(Manager& manager, const Identity& own, const Named& named) noexcept;

/// The PEs of a node, as its first one has proven them, and the processors that they may use together.
struct Neighbours {
  std::int32_t* pes = nullptr;
  int n = 0;
  std::uint8_t cpus[sizeof(Identity::cpus)] = {};
  std::uint32_t cpu_quota = 0;
};
/// As the first PE of its node, this one: finds them, and tells all others who they are.
base::Result<Neighbours> tell_neighbours(Manager& manager, const Identity& own, const Named& named) noexcept;

/// As any other PE: tells who leads. Nobody asks, but where the leader has not proven this PE.
base::Result<void> tell_leader(Manager& manager, int leader) noexcept;

/// And when all of them have told: asks which nodes there are, and tells the PEs of this one where its files are.
base::Result<boot::Attachment> make_node(Manager& manager, const base::Options& options, const Identity& own,
                                         const Neighbours& here) noexcept;

/// As any other PE, when the leader has told.
base::Result<boot::Attachment> open_node(Manager& manager, int leader) noexcept;

}  // namespace weft::pmi
