// What the members of a team synchronise through: the stations of the control file (boot/job.hpp).
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <type_traits>

#include "boot/job.hpp"
#include "sync/barrier.hpp"
#include "sync/doorbell.hpp"

namespace weft::group {

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

static_assert(sizeof(Station) <= boot::kStationBytes && std::is_standard_layout_v<Station>);
static_assert(sizeof(Meeting) == 192);
static_assert(offsetof(Station, gate) == 768 && offsetof(Station, bell) == 960 && offsetof(Station, meeting) == 1024);
static_assert(offsetof(Station, split) == 1216 && offsetof(Station, pending) == 1408);

inline Station& station(boot::JobHeader* job, int slot, int pe) {
  return *reinterpret_cast<Station*>(boot::station_bytes(job, slot, pe));
}

}  // namespace weft::group
