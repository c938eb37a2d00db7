// The collectives that move or combine data (OpenSHMEM 1.6, sections 9.10.5 to 9.10.10), over the members of a group.
//
// Each selects an algorithm and runs it. Addresses are symmetric and checked by the caller; sizes are in bytes unless
// said otherwise. They return when this member's target is complete and its source may be reused.
#pragma once

#include <cstddef>
#include <cstdint>

#include "coll/group.hpp"

namespace weft::coll {

struct Broadcast {
  void* dest;  // of every member but the root, whose target is the caller's business
  const void* source;
  std::size_t bytes;
  int root;
};
void broadcast(Group& group, const Broadcast& call) noexcept;
/// Within this PE's domain, as a stage of a call; the root is numbered there.
void broadcast_here(Group& group, const Broadcast& call) noexcept;

/// Blocks of the members in their order. collect's may differ in length, fcollect's may not. How long collect's target
/// has to be comes out in the call: `fits` is asked on each member before anything is written, and does not return
/// where the target is shorter.
using Fits = void (*)(const void* dest, std::size_t bytes) noexcept;
void collect(Group& group, void* dest, const void* source, std::size_t bytes, Fits fits) noexcept;
void fcollect(Group& group, void* dest, const void* source, std::size_t bytes) noexcept;

/// Block k of member i goes to block i of member k. A block is `count` elements, which lie `dst` elements apart in the
/// target and `sst` in the source; a block begins where the one before ends.
struct Alltoall {
  void* dest;
  const void* source;
  std::size_t count;
  std::size_t element;  // bytes
  std::ptrdiff_t dst = 1;
  std::ptrdiff_t sst = 1;
  bool strided = false;  // chosen for apart
};
void alltoall(Group& group, const Alltoall& call) noexcept;

/// into[i] = with[i] op and_with[i]. `into` may be `with`; no two overlap otherwise.
using Combine = void (*)(void* into, const void* with, const void* and_with, std::size_t count) noexcept;

/// dest may be source. The order of combination is that of the members, so all get the same bits.
struct Reduce {
  void* dest;
  const void* source;
  std::size_t count;
  std::size_t element;  // bytes
  Combine combine;
};
void reduce(Group& group, const Reduce& call) noexcept;

/// Of a sum: member k gets the combination of members 0 to k, or to k - 1, and member 0 then zeros.
struct Scan : Reduce {
  bool inclusive;
};
void scan(Group& group, const Scan& call) noexcept;

}  // namespace weft::coll
