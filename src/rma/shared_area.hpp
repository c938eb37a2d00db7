// What the PEs of a node synchronise through: the sync area and the stations of the control file (boot/job.hpp).
#pragma once

#include <array>

#include "boot/job.hpp"
#include "sync/barrier.hpp"
#include "sync/doorbell.hpp"

namespace weft::rma {

struct SharedHead {
  /// How many PEs sleep in a wait for a value. Its own line, read by every quiet and almost never written.
  alignas(64) std::atomic<std::uint32_t> value_sleepers;
  /// How many sleep in a lock.
  alignas(64) std::atomic<std::uint32_t> lock_sleepers;
  /// A PE has told of a shmem_free of an address inside a block.
  alignas(64) std::atomic<std::uint32_t> inside_told;
};

struct SharedPe {
  sync::Doorbell value_bell;
  sync::Doorbell active_set_bell;      // for collectives on active sets, which have no station
  std::atomic<std::uint64_t> choices;  // how it chooses algorithms (coll/choose.cpp)
  // Several of its threads may be in the library at a time.
  std::atomic<std::uint32_t> threads;
};

inline constexpr int kWords = 7;

/// A few words, and in the same cache line, so that one transfer brings both, the call that they belong to.
struct alignas(64) Shown {
  std::array<std::atomic<std::uint64_t>, kWords> words;
  std::atomic<std::uint64_t> step;
};
static_assert(sizeof(Shown) == 64);

/// How far its owner has come in the collective calls of a team, and what it shows the others, by turns in one line and
/// in the other. Only the owner writes, the others look; steps only grow (coll/group.hpp).
struct Meeting {
  alignas(64) std::atomic<std::uint64_t> step;
  Shown shown[2];
};

/// For the making of teams (coll/split.cpp).
struct SplitWords {
  // How many barriers the teams that this station has served have passed; kept while it serves none.
  std::atomic<std::uint64_t> episode;
  // What a member of the team this station serves shows the others while they split it: its slots, a bit for each that
  // is taken; what became of its part of a new team; and the number above of the new team's station.
  std::array<std::atomic<std::uint64_t>, boot::kTeamSlots / 64> taken;
  std::atomic<std::uint64_t> outcome;
  std::atomic<std::uint64_t> new_episode;
};

/// One PE's part of one team.
struct Station {
  sync::BarrierFlags flags;
  sync::BarrierGate gate;  // used in member 0's only
  sync::Doorbell bell;
  Meeting meeting;
  SplitWords split;
  Meeting pending;  // of the non-blocking collectives
};

static_assert(sizeof(SharedHead) <= boot::kSyncBytesHead && std::is_standard_layout_v<SharedHead>);
static_assert(sizeof(SharedPe) <= boot::kSyncBytesPerPe && std::is_standard_layout_v<SharedPe>);
static_assert(sizeof(Station) <= boot::kStationBytes && std::is_standard_layout_v<Station>);
static_assert(sizeof(Meeting) == 192 && offsetof(SharedPe, active_set_bell) == 64);
static_assert(offsetof(Station, gate) == 768 && offsetof(Station, bell) == 960 && offsetof(Station, meeting) == 1024);
static_assert(offsetof(Station, split) == 1216 && offsetof(Station, pending) == 1408);

inline SharedHead& shared_head(boot::JobHeader* job) { return *reinterpret_cast<SharedHead*>(boot::sync_area(job)); }
inline SharedPe& shared_pe(boot::JobHeader* job, int pe) {
  return *reinterpret_cast<SharedPe*>(boot::sync_area(job) + boot::kSyncBytesHead +
                                      static_cast<std::size_t>(pe) * boot::kSyncBytesPerPe);
}
inline Station& station(boot::JobHeader* job, int slot, int pe) {
  return *reinterpret_cast<Station*>(boot::station_bytes(job, slot, pe));
}

}  // namespace weft::rma
