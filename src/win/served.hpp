// Memory of a member that others may not reach, as the system forbids copies between processes: a thread of the member
// (job/agent.hpp) copies for them, also while its program computes. It sleeps until it is asked.
//
// Who asks has the box of the member, a block of its own area, to itself: what is to be moved, at most a piece at a
// time, goes through it.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "lock/readers.hpp"
#include "reach/walk.hpp"
#include "reach/way.hpp"
#include "win/member.hpp"

namespace weft::win {

struct alignas(64) Box {
  static constexpr std::size_t kPiece = std::size_t{64} << 10;
  enum State : std::uint32_t { kFree, kAsked, kBusy, kDone, kFailed };
  lock::SharedLock lock;             // of who asks
  std::atomic<std::uint32_t> state;  // State
  std::atomic<std::uint32_t> rings;  // the bell of who has asked
  std::atomic<std::uint32_t> sleepers;
  std::uint32_t puts;  // 1: into the member's memory
  std::uint64_t address;
  std::uint64_t bytes;
  alignas(64) std::byte data[kPiece];
};
static_assert(std::is_standard_layout_v<Box>);

/// This process reaches the memory of a member by itself, in both directions.
bool reaches_alone(const Member& member) noexcept;
/// That has been found out of a process of the node.
bool has_reached(int number) noexcept;
/// This process's memory is served to others from now on, until stop_serving(). False: there is no memory or no thread
/// for it. Where its box is, for Line::box, is box_place() then; 0 before.
bool serve_memory() noexcept;
std::uint64_t box_place() noexcept;
/// All have met for the last time.
void stop_serving() noexcept;

/// What is left of the walk, by the member's thread.
reach::Moved move_by_agent(const Member& member, reach::Walk* walk, bool puts) noexcept;

}  // namespace weft::win
