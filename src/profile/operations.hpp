// What the operations of the interface are about, how much they move, and who meets in them.
#pragma once

#include "api/ops.hpp"
#include "interpose/invocation.hpp"
#include "profile/recording.hpp"

namespace weft::profile {

constexpr Kind kind_of(api::Op operation) { return api::kKindOf[static_cast<std::size_t>(operation)]; }

constexpr bool starts_library(api::Op operation) {
  return operation == api::Op::init || operation == api::Op::init_thread || operation == api::Op::start_pes;
}

constexpr bool changes_heap(api::Op operation) {
  using enum api::Op;
  return operation == heap_align || operation == heap_calloc || operation == heap_free || operation == heap_malloc ||
         operation == heap_malloc_with_hints || operation == heap_realloc;
}

/// Nobody leaves it before all have come. Of the collectives these are the barriers, and those in which each PE gets
/// something of every other.
constexpr bool is_meeting(api::Op operation) {
  using enum api::Op;
  switch (operation) {
    case alltoall:
    case alltoalls:
    case collect:
    case fcollect:
    case reduce_and:
    case reduce_max:
    case reduce_min:
    case reduce_or:
    case reduce_prod:
    case reduce_sum:
    case reduce_xor: return true;
    default: return kind_of(operation) == Kind::kBarrier;
  }
}

/// What the caller moves, or asks for: the elements of the call times their size.
template <api::Op operation>
constexpr std::size_t bytes_of(const interpose::Invocation& call) {
  using enum api::Op;
  constexpr Kind kind = kind_of(operation);
  if constexpr (operation == heap_calloc) {
    return call.count * call.bytes;
  } else if constexpr (changes_heap(operation)) {
    return call.bytes;
  } else if constexpr (operation == p || operation == g) {
    return call.element;
  } else if constexpr (kind == Kind::kAtomic) {
    return call.element != 0 ? call.element : sizeof(long);  // shmem_swap, and signals
  } else if constexpr (operation == ibput || operation == ibget) {
    return call.element * call.block * call.count;
  } else if constexpr (has_size(kind)) {
    return call.element * call.count;
  } else {
    return 0;
  }
}

}  // namespace weft::profile
