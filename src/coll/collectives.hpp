// The collectives that move or combine data (OpenSHMEM 1.6, sections 9.10.5 to 9.10.10), over the members of a party.
//
// Each selects an algorithm and runs it. Addresses are symmetric and checked by the caller; sizes are in bytes unless
// said otherwise. They return when this member's target is complete and its source may be reused. False: there is no
// memory for it, and nothing has happened (Party::begin()).
#pragma once

#include <cstddef>
#include <cstdint>

#include "coll/party.hpp"

namespace weft::coll {

struct Broadcast {
  void* dest;  // of every member but the root, whose target is the caller's business
  const void* source;
  std::size_t bytes;
  int root;
};
[[nodiscard]] bool broadcast(Party& party, const Broadcast& call) noexcept;
/// Within this PE's domain, as a stage of a call; the root is numbered there.
void broadcast_here(Party& party, const Broadcast& call) noexcept;

/// Blocks of the members in their order. collect's may differ in length, fcollect's may not. How long collect's target
/// has to be comes out in the call: `fits` is asked on each member before anything is written, and does not return
/// where the target is shorter.
using Fits = void (*)(const void* dest, std::size_t bytes) noexcept;
[[nodiscard]] bool collect(Party& party, void* dest, const void* source, std::size_t bytes, Fits fits) noexcept;
[[nodiscard]] bool fcollect(Party& party, void* dest, const void* source, std::size_t bytes) noexcept;

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
[[nodiscard]] bool alltoall(Party& party, const Alltoall& call) noexcept;

/// into[i] = with[i] op and_with[i], where `with` comes before `and_with` in the order of the members. `into` may be
/// `with`; no two overlap otherwise. Each call gets the state that was given, as operations of users need.
struct Combine {
  using Function = void (*)(void* into, const void* with, const void* and_with, std::size_t count,
                            void* state) noexcept;
  Function function = nullptr;
  void* state = nullptr;

  constexpr Combine() noexcept = default;
  constexpr Combine(Function with, void* its_state = nullptr) noexcept : function(with), state(its_state) {}  // NOLINT
  void operator()(void* into, const void* with, const void* and_with, std::size_t count) const noexcept {
    function(into, with, and_with, count, state);
  }
};

/// dest may be source. The order of combination is the same for all members, so all get the same bits. It is that of
/// the members, but where domains (group/domains.hpp) lie between each other theirs, unless the operation is `ordered`.
/// An element may have any size.
struct Reduce {
  void* dest;
  const void* source;
  std::size_t count;
  std::size_t element;  // bytes
  Combine combine;
  bool ordered = false;  // not commutative
};
[[nodiscard]] bool reduce(Party& party, const Reduce& call) noexcept;

/// Of a sum: member k gets the combination of members 0 to k, or to k - 1, and member 0 then zeros.
struct Scan : Reduce {
  bool inclusive;
};
[[nodiscard]] bool scan(Party& party, const Scan& call) noexcept;

}  // namespace weft::coll
