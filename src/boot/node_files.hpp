// What the PEs of a node share before there is one of them: two files in memory and the header they all read. Made by
// oshrun, or by the first PE of a node where somebody else has started the job.
#pragma once

#include <algorithm>
#include <cstdint>

#include "base/options.hpp"
#include "base/result.hpp"
#include "boot/job.hpp"

namespace weft::boot {

struct NodePlan {
  int n_pes = 1;  // of this node
  int cpus = 1;
  std::uint64_t heap_bytes = 0;  // per PE, a multiple of the page size
  base::HugePages pages = base::HugePages::kOff;
  // Of the whole job, where it has several nodes.
  int job_pes = 0;
  int n_nodes = 1;
  int node = 0;
  std::uint64_t token = 0;  // 0: a new one
};

/// How one PE's slot of the data file is divided. The file is sparse, so room costs nothing.
struct SlotLayout {
  std::uint64_t static_offset = 0;
  std::uint64_t slot_bytes = 0;
};
constexpr SlotLayout slot_layout(std::uint64_t heap_bytes, int n_pes) noexcept {
  constexpr std::uint64_t kHugePage = std::uint64_t{2} << 20;
  constexpr std::uint64_t kGiB = std::uint64_t{1} << 30;
  // Many PEs map all slots in one piece (memory/space.hpp), and addresses are not endless: 4 TiB for all of them.
  const std::uint64_t room_for_statics = std::min(64 * kGiB, 4096 * kGiB / static_cast<std::uint64_t>(n_pes));
  const auto rounded_up = [](std::uint64_t value, std::uint64_t to) { return (value + to - 1) / to * to; };
  // The gap keeps a run past the end of the heap from reaching the static data.
  const std::uint64_t static_offset = rounded_up(heap_bytes, kHugePage) + kHugePage;
  return {static_offset, rounded_up(static_offset + room_for_statics, kGiB)};
}

/// Room for the area of each PE's own, behind all slots.
inline constexpr std::uint64_t kMostOwnBytes = std::uint64_t{64} << 30;

struct NodeFiles {
  JobHeader* header = nullptr;
  int control_fd = -1;
  int data_fd = -1;
  int heap_fd = -1;  // data_fd, unless the heaps have reserved huge pages
  /// Why the pages that were asked for could not be had; empty when they could, or were not asked for.
  base::Error pages_note;
};

/// Makes the files and fills in the header. The descriptors are inherited by what is started afterwards.
base::Result<NodeFiles> make_node_files(const NodePlan& plan) noexcept;

}  // namespace weft::boot
