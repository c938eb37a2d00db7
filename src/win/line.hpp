// What a member of a window shares with the others: one block of its own area (memory/own_areas.hpp), zero at first.
//
//   [lock of the target, rule][lock of what no instruction changes, attached memory, flags' bell][two flags for each
//   member]
//
// Everything a member does at another one is done here, with processor instructions, whatever the window's memory is:
// by the member itself, or, for one of another node, by the process whose block it is (far.hpp).
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "lock/readers.hpp"
#include "win/rule.hpp"

namespace weft::win {

/// Of a pair of members, in the block of the one who waits; only the other one changes them.
struct Flags {
  std::atomic<std::uint32_t> posted;     // how often the other one has let this one begin
  std::atomic<std::uint32_t> completed;  // how often the other one has completed its accesses to this one
};
static_assert(sizeof(Flags) == 8);

/// What is looked at when an epoch begins or ends at the member lies in the line of its lock.
struct alignas(64) Line {
  lock::SharedLock lock;
  std::atomic<std::uint64_t> box;        // where in the member's own area, and one more, it is asked for its memory
                                         // (served.hpp); 0: nowhere
  std::atomic<std::uint64_t> ledger;     // in safe mode, where accesses are written down (ledger.hpp); 0: nowhere
  std::atomic<std::uint32_t> elsewhere;  // members of other nodes that wait for one of the locks
  RuleWords rule;                        // by what its elements are changed
  alignas(64) lock::SharedLock elements;
  std::atomic<std::uint64_t> table;     // where in the member's own area, and one more, attached memory is told of
  std::atomic<std::uint32_t> version;   // of what is attached; odd while it changes
  std::atomic<std::uint32_t> attached;  // how many pieces
  std::atomic<std::uint32_t> rings;     // the bell of who waits for flags here
  std::atomic<std::uint32_t> sleepers;
  Flags* flags() noexcept { return reinterpret_cast<Flags*>(this + 1); }

  static constexpr std::size_t bytes_for(int members) noexcept {
    return sizeof(Line) + static_cast<std::size_t>(members) * sizeof(Flags);
  }
  /// Where the words of a lock that migrates are, behind all that (moving.hpp).
  static constexpr std::size_t moving_at(int members) noexcept {
    return (bytes_for(members) + alignof(Line) - 1) / alignof(Line) * alignof(Line);
  }
};
static_assert(sizeof(Line) == 128 && std::is_standard_layout_v<Line>);

}  // namespace weft::win
