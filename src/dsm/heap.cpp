#include "dsm/heap.hpp"

#include <algorithm>
#include <atomic>
#include <cstring>

#include "base/lines.hpp"
#include "dsm/arena.hpp"
#include "dsm/elsewhere.hpp"
#include "dsm/order.hpp"
#include "dsm/state.hpp"
#include "job/node.hpp"

namespace weft::dsm {
namespace {

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

[[noreturn]] void refuse(const void* block, const char* what) noexcept {
  base::fail(job::current_call(), "%p %s; give back what weft_shared_malloc and the like have given, once", block,
             what);
}

}  // namespace

void* allocate(std::size_t bytes, std::size_t alignment) noexcept {
  const Arena::Given given = take(bytes, alignment);
  return given.offset == Arena::kNone ? nullptr : at(given.offset);
}

void* allocate_zeros(std::size_t bytes) noexcept {
  const Arena::Given given = take(bytes, Arena::kUnit);
  if (given.offset == Arena::kNone) {
    return nullptr;
  }
  if (!given.untouched) {
    std::memset(at(given.offset), 0, bytes);
  }
  return at(given.offset);
}

void* reallocate(void* block, std::size_t bytes) noexcept {
  if (block == nullptr) {
    return allocate(bytes, Arena::kUnit);
  }
  const std::uint64_t room = holds(block, 1) ? room_of(reinterpret_cast<std::uintptr_t>(block) - g.base) : 0;
  if (room == 0) {
    refuse(block, "is no block of shared memory, or not its beginning");
  }
  // It stays where it is unless that wastes more than half of it.
  if (bytes <= room && bytes >= room / 2) {
    return block;
  }
  void* const moved = allocate(bytes, Arena::kUnit);
  if (moved != nullptr) {
    std::memcpy(moved, block, std::min<std::size_t>(bytes, room));
    release_block(block);
  }
  return moved;
}

std::size_t room_of_block(const void* block) noexcept {
  return holds(block, 1) ? room_of(reinterpret_cast<std::uintptr_t>(block) - g.base) : 0;
}

void release_block(void* block) noexcept {
  if (block == nullptr) {
    return;
  }
  release();  // see take()
  const std::uint64_t offset = reinterpret_cast<std::uintptr_t>(block) - g.base;
  Arena::Freed freed = Arena::Freed::kWild;
  if (holds(block, 1)) {
    freed = g.arena != nullptr ? g.arena->release(offset) : release_elsewhere(offset);
  }
  switch (freed) {
    case Arena::Freed::kDone: return;
    case Arena::Freed::kWild: refuse(block, "is no block of shared memory");
    case Arena::Freed::kInside: refuse(block, "lies inside a block of shared memory, not at its beginning");
    case Arena::Freed::kTwice: refuse(block, "was given back already");
  }
}

}  // namespace weft::dsm
