#include "check/memory.hpp"

#include <algorithm>
#include <atomic>
#include <cstring>

#include "check/agreement.hpp"
#include "check/blocks.hpp"
#include "check/locks.hpp"
#include "check/tail.hpp"
#include "check/tool.hpp"
#include "interpose/real.hpp"

namespace weft::check {
namespace {

using api::Op;

// The quarantine takes this part of the heap, and not more blocks: each has closed pages, which the kernel counts.
constexpr std::size_t kQuarantineShare = 4;
constexpr std::size_t kMostQuarantined = 256;

// What the program has asked for: the heap itself is larger, for zones and the quarantine.
std::atomic<std::size_t> g_most = 0;

// With `bytes` more, and without what is given up for it. Without safe mode there would be no room either.
bool fits(std::size_t bytes, std::size_t given_up) noexcept {
  const std::size_t others = blocks().live_bytes() - given_up;
  const std::size_t more = room_for(bytes) - room_for(0);
  const std::size_t most = g_most.load(std::memory_order_relaxed);
  if (more <= most && others <= most - more) {
    return true;
  }
  // What is larger than the heap by itself is asked for to see that it fails. All PEs have the same blocks; one tells.
  if (me() == 0 && more <= most) {
    note_here(text("no room for %zu bytes: blocks of the program take %zu of the %zu bytes of SHMEM_SYMMETRIC_SIZE",
                   bytes, others, most));
  }
  return false;
}

// Collective, as all that follows here: every PE keeps the same book, so every PE gives back the same block.
bool give_one_back() noexcept {
  const auto block = blocks().release_oldest();
  if (block) {
    WEFT_REAL(free)(reinterpret_cast<void*>(block->at));
  }
  return block.has_value();
}

// What libweft.so has, for a room that includes the zone.
void* take(const Invocation& call, std::size_t room) noexcept {
  switch (call.op) {
    case Op::heap_align: return WEFT_REAL(align)(call.alignment, room);
    case Op::heap_malloc_with_hints: return WEFT_REAL(malloc_with_hints)(room, call.options);
    default: return WEFT_REAL(malloc)(room);
  }
}

// Before the heap is said to be full, what is in quarantine goes back.
void* take_with_zone(const Invocation& call, std::size_t bytes) noexcept {
  const std::size_t room = room_for(bytes);
  void* at = take(call, room);
  while (at == nullptr && give_one_back()) {
    at = take(call, room);
  }
  if (at != nullptr) {
    const bool opened = open_tail(reinterpret_cast<std::uintptr_t>(at) + room);
    if (call.op == Op::heap_calloc) {
      std::memset(at, 0, room);
    }
    if (opened || call.op == Op::heap_calloc) {
      WEFT_REAL(barrier_all)();  // nobody stores into it before
    }
    blocks().add({.at = reinterpret_cast<std::uintptr_t>(at), .bytes = bytes, .room = room, .made = made_here()});
  }
  return at;
}

void quarantine(const Block& block, const Made& freed) noexcept {
  blocks().put_in_quarantine(block.at, freed);
  forget_locks(block.at, block.bytes);
  const weft_support_ranges ranges = memory();
  const std::size_t most = (ranges.heap_hi - ranges.heap_lo) / kQuarantineShare;
  while (blocks().quarantined_bytes() > most || blocks().quarantined() > kMostQuarantined) {
    (void)give_one_back();
  }
}

// Says what is wrong with an address that is no block's.
void report_no_block(const void* address) noexcept {
  const auto at = reinterpret_cast<std::uintptr_t>(address);
  const auto near = blocks().around(at);
  if (near && near->is_freed && near->at == at) {
    report(text("ptr, %p, was freed before: it was %s", address, described(*near).c_str()),
           {"it was freed by " + told(near->freed)});
    return;
  }
  if (near) {
    report(text("ptr, %p, is not the beginning of a block: it is %zu bytes behind that of %s", address, at - near->at,
                described(*near).c_str()));
    return;
  }
  const weft_support_ranges ranges = memory();
  const bool in_heap = at >= ranges.heap_lo && at < ranges.heap_hi;
  const bool in_statics = at >= ranges.statics_lo && at < ranges.statics_hi;
  report(text("ptr, %p, was not given by shmem_malloc: it is %s", address,
              in_heap      ? "in the symmetric heap, but in no block"
              : in_statics ? "in the program's static data"
                           : interpose::library().describe(address)));
}

}  // namespace

void* allocate(const Invocation& call) noexcept {
  std::size_t bytes = call.bytes;
  const bool overflow = call.op == Op::heap_calloc && __builtin_mul_overflow(call.count, call.bytes, &bytes);
  if (bytes == 0 && !overflow) {
    return take(call, 0);
  }
  agree_on_memory(call, 0);
  blocks().verify();
  if (overflow || room_for(bytes) == SIZE_MAX) {
    return take(call, SIZE_MAX);
  }
  if (!fits(bytes, 0)) {
    WEFT_REAL(barrier_all)();  // as shmem_malloc itself
    return nullptr;
  }
  return take_with_zone(call, bytes);
}

void release(const Invocation& call) noexcept {
  if (call.dest == nullptr) {
    WEFT_REAL(free)(nullptr);
    return;
  }
  const auto block = blocks().find(call.dest);
  if (!block) {
    report_no_block(call.dest);
    return;
  }
  agree_on_memory(call, block->at);
  blocks().verify();
  // As shmem_free itself: until all have come, somebody may still use the block.
  WEFT_REAL(barrier_all)();
  quarantine(*block, made_here());
}

void* reallocate(const Invocation& call) noexcept {
  if (call.dest == nullptr || call.bytes == 0) {
    if (call.dest != nullptr) {
      release(call);
      return nullptr;
    }
    return allocate(call);
  }
  const auto block = blocks().find(call.dest);
  if (!block) {
    report_no_block(call.dest);
    return nullptr;
  }
  agree_on_memory(call, block->at);
  blocks().verify();
  WEFT_REAL(barrier_all)();
  if (room_for(call.bytes) != SIZE_MAX && !fits(call.bytes, block->room - room_for(0))) {
    return nullptr;
  }
  // It always moves, so that who goes on with the old address is found.
  void* moved = take_with_zone(call, call.bytes);
  if (moved != nullptr) {
    std::memcpy(moved, call.dest, std::min(block->bytes, call.bytes));
    WEFT_REAL(barrier_all)();
    quarantine(*block, made_here());
    return moved;
  }
  // No room for two: in its place, if that goes.
  (void)open_tail(UINTPTR_MAX);
  moved = room_for(call.bytes) == SIZE_MAX ? nullptr
                                           : WEFT_REAL(realloc)(const_cast<void*>(call.dest), room_for(call.bytes));
  if (moved != nullptr) {
    blocks().forget(block->at);
    blocks().add({.at = reinterpret_cast<std::uintptr_t>(moved),
                  .bytes = call.bytes,
                  .room = room_for(call.bytes),
                  .made = made_here()});
  }
  return moved;
}

void open_book() noexcept {
  g_most.store(interpose::library().heap_asked(), std::memory_order_relaxed);
  close_tail();
}

void close_book() noexcept {
  blocks().verify();
  (void)open_tail(UINTPTR_MAX);
  blocks().clear();
}

}  // namespace weft::check
