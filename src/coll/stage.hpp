// The stages through which members read each other's sources: where they lie, and how long they are (record 0141).
#pragma once

#include <cstddef>

#include "boot/job.hpp"
#include "group/stations.hpp"
#include "job/node.hpp"

namespace weft::coll {

// A small one lies beside each station. Where members share processors a meeting takes a turn of each of them, which is
// as long as the copying of many KiB: there the teams that were made first have large ones, so that fewer pieces have
// to meet. These lie where the stages of non-blocking calls' stations would, which go through none.
inline constexpr std::size_t kLargeStageBytes = std::size_t{128} << 10;
// Behind them, of the same teams, what a root of broadcasts is ahead of the others (coll/stream.cpp): as much as stays
// in a processor's cache, in pieces that are copied in a few times what it takes to tell of one.
inline constexpr std::size_t kStreamPieceBytes = std::size_t{8} << 10;
inline constexpr std::size_t kStreamBytes = group::kStreamPieces * kStreamPieceBytes;
inline constexpr int kLargeStages =
    static_cast<int>(boot::kPendingSlots * boot::kStageBytes / (kLargeStageBytes + kStreamBytes));
static_assert(kLargeStages >= 8 && kLargeStages <= boot::kTeamSlots);

/// Of a team that meets at this station; the same on all members of a domain.
inline bool has_large_stage(int slot) noexcept { return slot < kLargeStages && job::node().crowded; }

/// From here on another way may be faster than a stream: it copies once, by the system.
inline constexpr std::size_t kLeastOfTwoWays = std::size_t{256} << 10;
/// And of two members, who combine what each has read of the other one's vector, than stages: they meet for each piece.
inline constexpr std::size_t kLeastReductionOfTwoWays = boot::kStageBytes;
/// Of a team that meets at this station, in any job.
inline bool has_stream(int slot) noexcept { return slot < kLargeStages; }

/// Those of the members of a node with that station, one behind the other.
inline std::byte* stage_of(boot::JobHeader* job, int slot, int local, bool large) noexcept {
  if (!large) {
    return boot::stage_bytes(job, slot, local);
  }
  const std::size_t before = static_cast<std::size_t>(slot) * job->n_pes + static_cast<std::size_t>(local);
  return boot::stage_bytes(job, boot::kTeamSlots + boot::kSpareSlots, 0) + before * kLargeStageBytes;
}

inline std::byte* stream_of(boot::JobHeader* job, int slot, int local) noexcept {
  std::byte* const first = stage_of(job, kLargeStages, 0, true);
  const std::size_t before = static_cast<std::size_t>(slot) * job->n_pes + static_cast<std::size_t>(local);
  return first + before * kStreamBytes;
}

}  // namespace weft::coll
