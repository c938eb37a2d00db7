// What the PEs of a node synchronise through: the sync area of the control file (boot/job.hpp). The stations of teams
// are in group/stations.hpp.
#pragma once

#include <atomic>
#include <cstddef>
#include <type_traits>

#include "boot/job.hpp"
#include "sync/doorbell.hpp"

namespace weft::job {

struct SharedHead {
  /// How many PEs sleep in a wait for a value. Its own line, read by every quiet and almost never written.
  alignas(64) std::atomic<std::uint32_t> value_sleepers;
  /// How many sleep in a lock.
  alignas(64) std::atomic<std::uint32_t> lock_sleepers;
  /// A PE has told of a shmem_free of an address inside a block.
  alignas(64) std::atomic<std::uint32_t> inside_told;
  /// What the node's first PE has read of copies (copy::tell), and from which file (copy::mark_of; 0: it has told
  /// nothing): set before all meet in the start.
  static constexpr std::size_t kCopiesWords = 4;
  alignas(64) std::atomic<std::uint64_t> copies[kCopiesWords];
  std::atomic<std::uint32_t> copies_told;
};

struct SharedPe {
  sync::Doorbell value_bell;
  sync::Doorbell active_set_bell;      // for collectives on active sets, which have no station
  sync::Doorbell agent_bell;           // for who serves while the PE computes (job/agent.hpp)
  std::atomic<std::uint64_t> choices;  // how it chooses algorithms (coll/choose.cpp)
  // Several of its threads may be in the library at a time.
  std::atomic<std::uint32_t> threads;
  std::atomic<std::uint32_t> agent_by_network;  // 1: it sleeps on the network, so its bell alone does not wake it
  std::atomic<std::uint32_t> dismissed;         // 1: it serves others no longer (job/serving.hpp)
  // Where in its own area others put messages for it (msg/hub.hpp), and one more; 0: nowhere.
  std::atomic<std::uint64_t> messages;
  // The same of its part of the shared memory (dsm/state.hpp).
  std::atomic<std::uint64_t> pages;
  // By which others of the node reach memory that is not shared: a reach::Card.
  static constexpr std::size_t kReachCardBytes = 64;
  alignas(64) std::byte reach_card[kReachCardBytes];
};

static_assert(sizeof(SharedHead) <= boot::kSyncBytesHead && std::is_standard_layout_v<SharedHead>);
static_assert(sizeof(SharedPe) <= boot::kSyncBytesPerPe && std::is_standard_layout_v<SharedPe>);
static_assert(offsetof(SharedHead, lock_sleepers) == 64 && offsetof(SharedHead, inside_told) == 128 &&
              offsetof(SharedHead, copies) == 192 && offsetof(SharedHead, copies_told) == 224);
static_assert(offsetof(SharedPe, active_set_bell) == 64 && offsetof(SharedPe, agent_bell) == 128);
static_assert(offsetof(SharedPe, choices) == 192 && offsetof(SharedPe, agent_by_network) == 204 &&
              offsetof(SharedPe, dismissed) == 208 && offsetof(SharedPe, messages) == 216 &&
              offsetof(SharedPe, pages) == 224 && offsetof(SharedPe, reach_card) == 256);

inline SharedHead& shared_head(boot::JobHeader* job) { return *reinterpret_cast<SharedHead*>(boot::sync_area(job)); }
inline SharedPe& shared_pe(boot::JobHeader* job, int pe) {
  return *reinterpret_cast<SharedPe*>(boot::sync_area(job) + boot::kSyncBytesHead +
                                      static_cast<std::size_t>(pe) * boot::kSyncBytesPerPe);
}

}  // namespace weft::job
