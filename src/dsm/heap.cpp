#include "dsm/heap.hpp"

#include <algorithm>
#include <atomic>
#include <cstring>

#include "base/lines.hpp"
#include "dsm/arena.hpp"
#include "dsm/closed.hpp"
#include "dsm/elsewhere.hpp"
#include "dsm/order.hpp"
#include "dsm/state.hpp"
#include "job/node.hpp"

namespace weft::dsm {
namespace {

// Of small blocks that were given back, in safe mode: as pointer or size it is not one that works.
constexpr int kPoison = 0xdb;

void* at(std::uint64_t offset) noexcept { return reinterpret_cast<void*>(g.base + offset); }

// The book is PE 0's.
std::uint64_t bytes_left() noexcept { return g.arena != nullptr ? g.arena->bytes_left() : bytes_left_elsewhere(); }
std::uint64_t room_of(std::uint64_t offset) noexcept {
  return g.arena != nullptr ? g.arena->room_of(offset) : room_elsewhere(offset);
}

// Once for a PE: who asks in a loop wants to hear it once.
void tell_of_shortage(std::size_t bytes) noexcept {
  static constinit std::atomic<bool> told = false;
  if (!told.exchange(true, std::memory_order_relaxed)) {
    base::say(job::current_call(),
              "%zu bytes asked for, and no block of that size is free: %llu KiB of shared memory are left of %llu KiB; "
              "raise WEFT_SHARED_SIZE, on all PEs alike",
              bytes, static_cast<unsigned long long>(bytes_left() >> 10),
              static_cast<unsigned long long>(g.bytes >> 10));
  }
}

Arena::Given take(std::size_t bytes, std::size_t alignment) noexcept {
  const Arena::Given given =
      g.arena != nullptr ? g.arena->allocate(bytes, alignment, g.me) : allocate_elsewhere(bytes, alignment);
  if (given.offset == Arena::kNone) {
    tell_of_shortage(bytes);
  } else if (!given.untouched) {
    acquire();  // who gave it back has released: what it wrote there must not come later
  }
  return given;
}

// What is closed with its whole page needs none.
void poison(void* block, std::uint64_t room) noexcept {
  if (room > 0 && room <= Arena::kMostSmall) {
    std::memset(block, kPoison, room);
  }
}

}  // namespace

void* allocate(std::size_t bytes, std::size_t alignment) noexcept {
  const Arena::Given given = take(bytes, alignment);
  return given.offset == Arena::kNone ? nullptr : at(given.offset);
}

void* allocate_zeros(std::size_t bytes, std::size_t alignment) noexcept {
  const Arena::Given given = take(bytes, alignment);
  if (given.offset == Arena::kNone) {
    return nullptr;
  }
  if (!given.untouched) {
    std::memset(at(given.offset), 0, bytes);
  }
  return at(given.offset);
}

Arena::Freed reallocate(void* block, std::size_t bytes, void** moved) noexcept {
  if (block == nullptr) {
    *moved = allocate(bytes, Arena::kUnit);
    return Arena::Freed::kDone;
  }
  const std::uint64_t room = room_of_block(block);
  if (room == 0) {
    return Arena::Freed::kWild;
  }
  // It stays where it is unless that wastes more than half of it.
  if (bytes <= room && bytes >= room / 2) {
    *moved = block;
    return Arena::Freed::kDone;
  }
  *moved = allocate(bytes, Arena::kUnit);
  if (*moved == nullptr) {
    return Arena::Freed::kDone;
  }
  std::memcpy(*moved, block, std::min<std::size_t>(bytes, room));
  return release_block(block);
}

std::size_t room_of_block(const void* block) noexcept {
  return holds(block, 1) ? room_of(reinterpret_cast<std::uintptr_t>(block) - g.base) : 0;
}

Arena::Freed release_block(void* block) noexcept {
  if (block == nullptr) {
    return Arena::Freed::kDone;
  }
  const std::uint64_t offset = reinterpret_cast<std::uintptr_t>(block) - g.base;
  if (!holds(block, 1)) {
    return Arena::Freed::kWild;
  }
  if (g.safe) {
    poison(block, room_of(offset));
  }
  release();  // see take()
  const Arena::Freed freed = g.arena != nullptr ? g.arena->release(offset, g.me) : release_elsewhere(offset);
  close_returned_if_safe();
  return freed;
}

}  // namespace weft::dsm
