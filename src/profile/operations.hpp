// What the operations of the interface are about, how much they move, and who meets in them.
#pragma once

#include "api/ops.hpp"
#include "interpose/invocation.hpp"
#include "profile/recording.hpp"

namespace weft::profile {

// Each operation stands in one of the lists; what a list is about, profile::Kind says.
namespace operations {

using enum api::Op;

inline constexpr api::Op kPuts[] = {p, put, put_nbi, iput, ibput, put_signal, put_signal_nbi};
inline constexpr api::Op kGets[] = {g, get, get_nbi, iget, ibget};
inline constexpr api::Op kAtomics[] = {
    atomic_add,           atomic_and,          atomic_compare_swap,  atomic_compare_swap_nbi,
    atomic_fetch,         atomic_fetch_add,    atomic_fetch_add_nbi, atomic_fetch_and,
    atomic_fetch_and_nbi, atomic_fetch_inc,    atomic_fetch_inc_nbi, atomic_fetch_nbi,
    atomic_fetch_or,      atomic_fetch_or_nbi, atomic_fetch_xor,     atomic_fetch_xor_nbi,
    atomic_inc,           atomic_or,           atomic_set,           atomic_swap,
    atomic_swap_nbi,      atomic_xor,          signal_add,           signal_set};
inline constexpr api::Op kCollectives[] = {
    alltoall,       alltoall_nb, alltoalls,     broadcast,  broadcast_nb,  collect,    fcollect,     reduce_and,
    reduce_and_nb,  reduce_max,  reduce_max_nb, reduce_min, reduce_min_nb, reduce_or,  reduce_or_nb, reduce_prod,
    reduce_prod_nb, reduce_sum,  reduce_sum_nb, reduce_xor, reduce_xor_nb, sum_exscan, sum_inscan,   team_barrier_nb};
inline constexpr api::Op kBarriers[] = {barrier, barrier_all, sync, sync_all, team_sync, finalize};
inline constexpr api::Op kWaits[] = {req_wait,        signal_wait_until,     wait,           wait_until,
                                     wait_until_all,  wait_until_all_vector, wait_until_any, wait_until_any_vector,
                                     wait_until_some, wait_until_some_vector};
inline constexpr api::Op kLocks[] = {set_lock, clear_lock, test_lock};
inline constexpr api::Op kSetups[] = {
    ctx_create,    ctx_destroy,       ctx_session_start, ctx_session_stop,       heap_align,
    heap_calloc,   heap_free,         heap_malloc,       heap_malloc_with_hints, heap_realloc,
    init,          init_thread,       start_pes,         team_create_ctx,        team_destroy,
    team_split_2d, team_split_strided};
inline constexpr api::Op kOrders[] = {fence, quiet, pe_quiet};
inline constexpr api::Op kQueries[] = {addr_accessible,
                                       address_of_peer,
                                       cache_noop,
                                       ctx_get_team,
                                       global_exit,
                                       info_get_name,
                                       info_get_version,
                                       my_pe,
                                       n_pes,
                                       pcontrol,
                                       pe_accessible,
                                       query_initialized,
                                       query_thread,
                                       req_test,
                                       signal_fetch,
                                       team_get_config,
                                       team_my_pe,
                                       team_n_pes,
                                       team_ptr,
                                       team_translate_pe,
                                       test,
                                       test_all,
                                       test_all_vector,
                                       test_any,
                                       test_any_vector,
                                       test_some,
                                       test_some_vector,
                                       wtime};

struct Table {
  Kind kinds[api::kOps]{};
  int times[api::kOps]{};

  template <std::size_t n>
  constexpr void list(Kind kind, const api::Op (&operations)[n]) {
    for (const api::Op operation : operations) {
      kinds[static_cast<std::size_t>(operation)] = kind;
      ++times[static_cast<std::size_t>(operation)];
    }
  }
  constexpr bool has_each_once() const {
    for (const int time : times) {
      if (time != 1) {
        return false;
      }
    }
    return true;
  }
};

constexpr Table make_table() {
  Table table;
  table.list(Kind::kPut, kPuts);
  table.list(Kind::kGet, kGets);
  table.list(Kind::kAtomic, kAtomics);
  table.list(Kind::kCollective, kCollectives);
  table.list(Kind::kBarrier, kBarriers);
  table.list(Kind::kWait, kWaits);
  table.list(Kind::kLock, kLocks);
  table.list(Kind::kSetup, kSetups);
  table.list(Kind::kOrder, kOrders);
  table.list(Kind::kQuery, kQueries);
  return table;
}

inline constexpr Table kTable = make_table();
static_assert(kTable.has_each_once(), "a new operation belongs in one of the lists");

}  // namespace operations

constexpr Kind kind_of(api::Op operation) { return operations::kTable.kinds[static_cast<std::size_t>(operation)]; }

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
