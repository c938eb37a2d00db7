// What the PEs of a node synchronise through: the sync area of the control file (boot/job.hpp).
#pragma once

#include "boot/job.hpp"
#include "sync/barrier.hpp"
#include "sync/doorbell.hpp"

namespace weft::rma {

struct SharedHead {
  sync::BarrierGate gate;
  /// How many PEs sleep in a wait for a value. Its own line, read by every quiet and almost never written.
  alignas(64) std::atomic<std::uint32_t> value_sleepers;
};

struct SharedPe {
  sync::BarrierFlags barrier;
  sync::Doorbell barrier_bell;
  sync::Doorbell value_bell;
};

static_assert(sizeof(SharedHead) <= boot::kSyncBytesHead && std::is_standard_layout_v<SharedHead>);
static_assert(sizeof(SharedPe) <= boot::kSyncBytesPerPe && std::is_standard_layout_v<SharedPe>);
static_assert(offsetof(SharedHead, value_sleepers) == 192 && offsetof(SharedPe, barrier_bell) == 768);

inline SharedHead& shared_head(boot::JobHeader* job) { return *reinterpret_cast<SharedHead*>(boot::sync_area(job)); }
inline SharedPe& shared_pe(boot::JobHeader* job, int pe) {
  return *reinterpret_cast<SharedPe*>(boot::sync_area(job) + boot::kSyncBytesHead +
                                      static_cast<std::size_t>(pe) * boot::kSyncBytesPerPe);
}

}  // namespace weft::rma
