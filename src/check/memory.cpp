#include "check/memory.hpp"

#include <algorithm>
#include <cstring>

#include "check/agreement.hpp"
#include "check/blocks.hpp"
#include "check/tool.hpp"
#include "interpose/real.hpp"

namespace weft::check {
namespace {

using api::Op;

// The quarantine takes this part of the heap, and not more blocks: each has closed pages, which the kernel counts.
constexpr std::size_t kQuarantineShare = 4;
constexpr std::size_t kMostQuarantined = 256;

weft_support_ranges memory() noexcept {
  weft_support_ranges ranges{};
  interpose::library().memory(&ranges);
  return ranges;
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
    case Op::heap_calloc: return WEFT_REAL(calloc)(1, room);
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
    blocks().add({.at = reinterpret_cast<std::uintptr_t>(at), .bytes = bytes, .room = room, .made = made_here()});
  }
  return at;
}

void quarantine(const Block& block, const Made& freed) noexcept {
  blocks().put_in_quarantine(block.at, freed);
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
  // It always moves, so that who goes on with the old address is found.
  void* moved = take_with_zone(call, call.bytes);
  if (moved != nullptr) {
    std::memcpy(moved, call.dest, std::min(block->bytes, call.bytes));
    WEFT_REAL(barrier_all)();
    quarantine(*block, made_here());
    return moved;
  }
  // No room for two: in its place, if that goes.
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

void close_book() noexcept {
  blocks().verify();
  blocks().clear();
}

}  // namespace weft::check
