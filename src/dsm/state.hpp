// What this PE knows of the shared memory: where it lies, in which of two ways it is shared, and where each PE keeps
// its part of it.
//
// The range has the same address on all PEs. In a job of one node all PEs map the same memory there: kMemory. Else, or
// where the option says so, each PE has its own copies of pages: kPages.
//
// A PE's part lies in its own area (memory/own_areas.hpp), which the PEs of its node have mapped too:
//
//   [Hub][Arena, the book][homes][marks][places][notices][room][contents: so many bytes as the range has]
//
// All of it is sparse. Book and homes are used of PE 0 only; and in the way kMemory its contents are what all map. The
// room is the front end's: zeros at first, for what its PEs of one node tell each other.
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "dsm/arena.hpp"
#include "dsm/protocol/page.hpp"

namespace weft::dsm {

enum class Way : std::uint8_t { kMemory, kPages };

/// Of the range, at most: what a PE may have of its own is bounded (boot/node_files.hpp).
inline constexpr std::uint64_t kMostBytes = std::uint64_t{48} << 30;
/// And PEs: their numbers are words of 16 bits.
inline constexpr int kMostPes = 65'000;

/// Of copies that are kept, at least: one instruction may need two operands, each of them in two pages.
inline constexpr std::uint32_t kLeastCopies = 4;

/// Numbers of places where the range may lie; each is tried by each PE.
inline constexpr int kPlaces = 16;

/// The beginning of a PE's part, for the others: what they have to agree on.
struct Hub {
  std::uint64_t bytes;   // of the range
  std::uint64_t places;  // a bit for each at which the range has room here
  std::uint32_t page_bytes;
  std::uint32_t way;
  std::uint64_t layout;  // kHubLayout
};
inline constexpr std::uint64_t kHubLayout = 0x5765667450616736;  // "WeftPag6"
static_assert(sizeof(Hub) == 32 && std::is_standard_layout_v<Hub>);

/// Where in a PE's part what begins.
struct Layout {
  std::uint64_t arena = 0;
  std::uint64_t homes = 0;
  std::uint64_t marks = 0;
  std::uint64_t places = 0;
  std::uint64_t notices = 0;
  std::uint64_t room = 0;
  std::uint64_t contents = 0;
  std::uint64_t bytes = 0;
};
Layout layout_of(std::uint64_t range_bytes, int pes) noexcept;
inline constexpr std::uint64_t kRoomBytes = 65536;
/// What a front end asks the job for: the part, and room to align it.
std::uint64_t own_bytes(std::uint64_t range_bytes) noexcept;

/// Pages of the range that the program has at another address, too, which is the one that it uses (windows.hpp).
struct Window {
  std::uintptr_t at;
  std::uint64_t bytes;
  std::uint64_t offset;  // in the range
};
inline constexpr int kMostWindows = 16;

/// The part and the way of this PE, while shared memory is there.
struct Shared {
  Way way = Way::kMemory;
  protocol::Renewal renewal = protocol::Renewal::kLearned;  // of pages for which nothing else was said
  bool learn_homes = false;                                 // pages move to who writes them alone
  bool forked = false;                                      // this is a child of the PE
  bool code = false;                                        // pages that can be read can be run
  bool safe = false;                                        // safe mode (closed.hpp)
  int me = 0;
  int n_pes = 1;
  std::uintptr_t base = 0;
  std::uint64_t bytes = 0;
  std::uint32_t pages = 0;
  std::uint32_t most_copies = 0;  // of pages; 0: any number
  Layout layout;
  std::uint64_t part = 0;  // where in the own area this PE's begins
  Arena* arena = nullptr;  // of PE 0; null: that is on another node
  int n_windows = 0;       // changed while there is one thread
  Window windows[kMostWindows] = {};
};
extern constinit Shared g;

inline bool holds(std::uintptr_t at, std::uint64_t bytes) noexcept {
  return at >= g.base && at - g.base <= g.bytes && bytes <= g.bytes - (at - g.base);
}
inline bool holds(const void* at, std::uint64_t bytes) noexcept {
  return holds(reinterpret_cast<std::uintptr_t>(at), bytes);
}

/// Memory that a program uses, whichever way it is addressed, or part of such: where it lies in the range.
inline constexpr std::uint64_t kNowhere = UINT64_MAX;
inline std::uint64_t offset_in_range(std::uintptr_t at, std::uint64_t bytes) noexcept {
  if (holds(at, bytes)) {
    return at - g.base;
  }
  for (int k = 0; k < g.n_windows; ++k) {
    const Window& window = g.windows[k];
    if (at >= window.at && at - window.at <= window.bytes && bytes <= window.bytes - (at - window.at)) {
      return window.offset + (at - window.at);
    }
  }
  return kNowhere;
}
inline std::uint64_t offset_in_range(const void* at, std::uint64_t bytes) noexcept {
  return offset_in_range(reinterpret_cast<std::uintptr_t>(at), bytes);
}

}  // namespace weft::dsm
