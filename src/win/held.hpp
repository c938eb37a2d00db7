// Memory for windows from this PE's own area, which all PEs of its node have mapped.
#pragma once

#include <cstdint>

#include "transport/transport.hpp"

namespace weft::win {

/// Where an address lies, for those who have it mapped too.
struct Held {
  enum class Where : std::uint8_t { kNowhere, kOwn, kHeap };
  Where where = Where::kNowhere;
  int number = 0;            // kOwn: whose area, by its number on the node
  std::uint64_t offset = 0;  // in that area, or in the symmetric heap of who tells
};

inline constexpr std::uint64_t kLeastAlignment = 64;  // a cache line, and what vectors like

/// Not cleared. Null: there is no room for it, or more than the machine's memory is asked for. Any thread may call.
void* take(std::uint64_t bytes, std::uint64_t alignment = kLeastAlignment) noexcept;
/// What take() gave; its memory goes back to the system where it has whole pages.
bool give_back(void* at) noexcept;
/// All that this node has is more than so many bytes.
bool machine_has(std::uint64_t bytes) noexcept;

/// Lets PEs of other nodes reach memory of this one. False: the network cannot.
bool lend(const void* at, std::uint64_t bytes, transport::RegionKey* key) noexcept;
/// When nobody uses it any more. A key of nothing does nothing.
void take_back(const transport::RegionKey& key) noexcept;

/// Of memory of this PE that a window is to have until let_go_of(): adopted (memory/adopted.hpp) where no one else has
/// it mapped and that can be. Nowhere: no one has, and it cannot.
Held hold(const void* at, std::uint64_t bytes) noexcept;
void let_go_of(const void* at, std::uint64_t bytes) noexcept;
/// Of memory of this PE. Nowhere: no one else has it mapped.
Held find_held(const void* at, std::uint64_t bytes) noexcept;
/// Where this PE reaches what another one has found, with its number on the node. Null: that is no such place.
void* reach_held(const Held& held, int number, std::uint64_t bytes) noexcept;

}  // namespace weft::win
