// What the operations of the interface are about, how much they move, and who meets in them.
#pragma once

#include "api/ops.hpp"
#include "interpose/invocation.hpp"
#include "profile/recording.hpp"

namespace weft::profile {

constexpr Kind kind_of(api::Op operation) {
  using enum api::Op;
  switch (operation) {
    case p:
    case put:
    case put_nbi:
    case iput:
    case ibput:
    case put_signal:
    case put_signal_nbi: return Kind::kPut;
    case g:
    case get:
    case get_nbi:
    case iget:
    case ibget: return Kind::kGet;
    case atomic_add:
    case atomic_and:
    case atomic_compare_swap:
    case atomic_compare_swap_nbi:
    case atomic_fetch:
    case atomic_fetch_add:
    case atomic_fetch_add_nbi:
    case atomic_fetch_and:
    case atomic_fetch_and_nbi:
    case atomic_fetch_inc:
    case atomic_fetch_inc_nbi:
    case atomic_fetch_nbi:
    case atomic_fetch_or:
    case atomic_fetch_or_nbi:
    case atomic_fetch_xor:
    case atomic_fetch_xor_nbi:
    case atomic_inc:
    case atomic_or:
    case atomic_set:
    case atomic_swap:
    case atomic_swap_nbi:
    case atomic_xor:
    case signal_add:
    case signal_set: return Kind::kAtomic;
    case alltoall:
    case alltoall_nb:
    case alltoalls:
    case broadcast:
    case broadcast_nb:
    case collect:
    case fcollect:
    case reduce_and:
    case reduce_and_nb:
    case reduce_max:
    case reduce_max_nb:
    case reduce_min:
    case reduce_min_nb:
    case reduce_or:
    case reduce_or_nb:
    case reduce_prod:
    case reduce_prod_nb:
    case reduce_sum:
    case reduce_sum_nb:
    case reduce_xor:
    case reduce_xor_nb:
    case sum_exscan:
    case sum_inscan:
    case team_barrier_nb: return Kind::kCollective;
    case barrier:
    case barrier_all:
    case sync:
    case sync_all:
    case team_sync:
    case finalize: return Kind::kBarrier;
    case req_wait:
    case signal_wait_until:
    case wait:
    case wait_until:
    case wait_until_all:
    case wait_until_all_vector:
    case wait_until_any:
    case wait_until_any_vector:
    case wait_until_some:
    case wait_until_some_vector: return Kind::kWait;
    case set_lock:
    case clear_lock:
    case test_lock: return Kind::kLock;
    case ctx_create:
    case ctx_destroy:
    case ctx_session_start:
    case ctx_session_stop:
    case heap_align:
    case heap_calloc:
    case heap_free:
    case heap_malloc:
    case heap_malloc_with_hints:
    case heap_realloc:
    case init:
    case init_thread:
    case start_pes:
    case team_create_ctx:
    case team_destroy:
    case team_split_2d:
    case team_split_strided: return Kind::kSetup;
    case fence:
    case quiet:
    case pe_quiet: return Kind::kOrder;
    case addr_accessible:
    case address_of_peer:
    case cache_noop:
    case ctx_get_team:
    case global_exit:
    case info_get_name:
    case info_get_version:
    case my_pe:
    case n_pes:
    case pcontrol:
    case pe_accessible:
    case query_initialized:
    case query_thread:
    case req_test:
    case signal_fetch:
    case team_get_config:
    case team_my_pe:
    case team_n_pes:
    case team_ptr:
    case team_translate_pe:
    case test:
    case test_all:
    case test_all_vector:
    case test_any:
    case test_any_vector:
    case test_some:
    case test_some_vector: return Kind::kQuery;
  }
  return Kind::kQuery;
}

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
