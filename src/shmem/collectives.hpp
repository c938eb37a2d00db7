// Bodies of the collectives (OpenSHMEM 1.6, section 9.10), over teams and over active sets: each checks its arguments,
// and hands on to coll/.
//
// Element counts and the root are the same on all members, so a call with nothing to do may return at once. A buffer is
// checked for the whole length in which peers may touch it.
#pragma once

#include <cstddef>
#include <type_traits>

#include "coll/collectives.hpp"
#include "group/team.hpp"
#include "job/node.hpp"
#include "shmem.h"
#include "shmem/team_handles.hpp"
#include "shmem/transfer.hpp"

namespace weft::shmem {

/// Of the team forms a Party is made of the team, of the others of the active set and its pSync.
struct ActiveSet {
  int start;
  int log_stride;
  int size;
  long* psync;

  /// The PEs exist and this PE is one of them, or the program ends with a line.
  group::Members members() const noexcept;
};

int team_sync(shmem_team_t team) noexcept;
void barrier(int start, int log_stride, int size, long* psync) noexcept;
void sync(int start, int log_stride, int size, long* psync) noexcept;

// The checks of each, which the non-blocking forms share. A buffer of no elements may be anything.
void need_broadcast(int size, const coll::Broadcast& call, const char* whose) noexcept;
void need_alltoall(int size, const coll::Alltoall& call) noexcept;
void need_reduce(const coll::Reduce& call) noexcept;

// The work behind both forms of each. bytes and counts are checked against overflow by the callers below.
void broadcast_over(coll::Party& party, void* dest, const void* source, std::size_t bytes, int root,
                    bool write_root) noexcept;
void collect_over(coll::Party& party, void* dest, const void* source, std::size_t bytes) noexcept;
// These may take the short way, without a Party.
void fcollect_over(group::Team& team, void* dest, const void* source, std::size_t bytes) noexcept;
void fcollect_over(const ActiveSet& set, void* dest, const void* source, std::size_t bytes) noexcept;
void alltoall_over(group::Team& team, const coll::Alltoall& call) noexcept;
void alltoall_over(const ActiveSet& set, const coll::Alltoall& call) noexcept;
void reduce_over(group::Team& team, const coll::Reduce& call) noexcept;
void reduce_over(const ActiveSet& set, const coll::Reduce& call) noexcept;
void scan_over(coll::Party& party, const coll::Scan& call) noexcept;
/// An active-set reduction counts in int.
std::size_t need_count(int nreduce) noexcept;

// --- moving data -----------------------------------------------------------------------------------------------------

template <class T>
int broadcast(shmem_team_t team, T* dest, const T* source, std::size_t nelems, int root) noexcept {
  coll::Party party(need_team(team));
  broadcast_over(party, dest, source, bytes_of(nelems, sizeof(T)), root, true);
  return 0;
}

template <class T>
void broadcast(T* dest, const T* source, std::size_t nelems, int root, int start, int log_stride, int size,
               long* psync) noexcept {
  coll::Party party(ActiveSet{start, log_stride, size, psync}.members(), psync);
  broadcast_over(party, dest, source, bytes_of(nelems, sizeof(T)), root, false);
}

template <class T>
int collect(shmem_team_t team, T* dest, const T* source, std::size_t nelems) noexcept {
  coll::Party party(need_team(team));
  collect_over(party, dest, source, bytes_of(nelems, sizeof(T)));
  return 0;
}

template <class T>
void collect(T* dest, const T* source, std::size_t nelems, int start, int log_stride, int size, long* psync) noexcept {
  coll::Party party(ActiveSet{start, log_stride, size, psync}.members(), psync);
  collect_over(party, dest, source, bytes_of(nelems, sizeof(T)));
}

template <class T>
int fcollect(shmem_team_t team, T* dest, const T* source, std::size_t nelems) noexcept {
  fcollect_over(need_team(team), dest, source, bytes_of(nelems, sizeof(T)));
  return 0;
}

template <class T>
void fcollect(T* dest, const T* source, std::size_t nelems, int start, int log_stride, int size, long* psync) noexcept {
  fcollect_over(ActiveSet{start, log_stride, size, psync}, dest, source, bytes_of(nelems, sizeof(T)));
}

template <class T>
int alltoall(shmem_team_t team, T* dest, const T* source, std::size_t nelems) noexcept {
  alltoall_over(need_team(team), {dest, source, nelems, sizeof(T)});
  return 0;
}

template <class T>
void alltoall(T* dest, const T* source, std::size_t nelems, int start, int log_stride, int size, long* psync) noexcept {
  alltoall_over(ActiveSet{start, log_stride, size, psync}, {dest, source, nelems, sizeof(T)});
}

template <class T>
int alltoalls(shmem_team_t team, T* dest, const T* source, std::ptrdiff_t dst, std::ptrdiff_t sst,
              std::size_t nelems) noexcept {
  alltoall_over(need_team(team), {dest, source, nelems, sizeof(T), dst, sst, true});
  return 0;
}

template <class T>
void alltoalls(T* dest, const T* source, std::ptrdiff_t dst, std::ptrdiff_t sst, std::size_t nelems, int start,
               int log_stride, int size, long* psync) noexcept {
  alltoall_over(ActiveSet{start, log_stride, size, psync}, {dest, source, nelems, sizeof(T), dst, sst, true});
}

// --- combining data --------------------------------------------------------------------------------------------------

/// Integers in a type in which sums and products wrap: at least as wide as int, or small ones would be promoted to it
/// and could overflow.
template <class T, bool = std::is_integral_v<T>>
struct WrappingOf {
  using type = T;
};
template <class T>
struct WrappingOf<T, true> {
  using type = std::common_type_t<std::make_unsigned_t<T>, unsigned>;
};
template <class T>
using Wrapping = typename WrappingOf<T>::type;

// The compiler makes vector code of these loops, for which it has to know that nothing overlaps. What is combined in
// place therefore has a loop of its own.
template <class T, class Operation>
void combine_each(void* into, const void* with, const void* and_with, std::size_t count, Operation operation) noexcept {
  const T* __restrict y = static_cast<const T*>(and_with);
  T* __restrict out = static_cast<T*>(into);
  if (into == with) {
    for (std::size_t i = 0; i < count; ++i) {
      out[i] = operation(out[i], y[i]);
    }
    return;
  }
  const T* __restrict x = static_cast<const T*>(with);
  for (std::size_t i = 0; i < count; ++i) {
    out[i] = operation(x[i], y[i]);
  }
}

#define WEFT_REDUCTION(OPERATION, EXPRESSION)                                                                    \
  template <class T>                                                                                             \
  void combine_##OPERATION(void* into, const void* with, const void* and_with, std::size_t count,                \
                           void* /*state*/) noexcept {                                                           \
    using W [[maybe_unused]] = Wrapping<T>;                                                                      \
    combine_each<T>(into, with, and_with, count, [](T a, T b) { return static_cast<T>(EXPRESSION); });           \
  }                                                                                                              \
  template <class T>                                                                                             \
  int reduce_##OPERATION(shmem_team_t team, T* dest, const T* source, std::size_t count) noexcept {              \
    reduce_over(need_team(team), {dest, source, count, sizeof(T), combine_##OPERATION<T>});                      \
    return 0;                                                                                                    \
  }                                                                                                              \
  /* pWrk is not needed: peers' sources are read where they are. */                                              \
  template <class T>                                                                                             \
  void reduce_##OPERATION(T* dest, const T* source, int count, int start, int log_stride, int size, T* /*work*/, \
                          long* psync) noexcept {                                                                \
    reduce_over(ActiveSet{start, log_stride, size, psync},                                                       \
                {dest, source, need_count(count), sizeof(T), combine_##OPERATION<T>});                           \
  }
WEFT_REDUCTION(and, a& b)
WEFT_REDUCTION(or, a | b)
WEFT_REDUCTION(xor, a ^ b)
WEFT_REDUCTION(max, a < b ? b : a)
WEFT_REDUCTION(min, b < a ? b : a)
WEFT_REDUCTION(sum, static_cast<W>(a) + static_cast<W>(b))
WEFT_REDUCTION(prod, static_cast<W>(a) * static_cast<W>(b))
#undef WEFT_REDUCTION

template <class T>
int sum_inscan(shmem_team_t team, T* dest, const T* source, std::size_t count) noexcept {
  coll::Party party(need_team(team));
  scan_over(party, {{dest, source, count, sizeof(T), combine_sum<T>}, true});
  return 0;
}

template <class T>
int sum_exscan(shmem_team_t team, T* dest, const T* source, std::size_t count) noexcept {
  coll::Party party(need_team(team));
  scan_over(party, {{dest, source, count, sizeof(T), combine_sum<T>}, false});
  return 0;
}

}  // namespace weft::shmem
