// Bodies of the non-blocking collectives (shmemx.h). Arguments are checked as those of the blocking ones.
#pragma once

#include "coll/ongoing.hpp"
#include "shmem/collectives.hpp"
#include "shmemx.h"

namespace weft::shmem {

int team_barrier_nb(shmem_team_t team, shmemx_req_t* request) noexcept;
int req_test(shmemx_req_t* request) noexcept;
void req_wait(shmemx_req_t* request) noexcept;

int start_broadcast(shmem_team_t team, const coll::Broadcast& call, shmemx_req_t* request) noexcept;
int start_alltoall(shmem_team_t team, const coll::Alltoall& call, shmemx_req_t* request) noexcept;
int start_reduce(shmem_team_t team, const coll::Reduce& call, shmemx_req_t* request) noexcept;

template <class T>
int broadcast_nb(shmem_team_t team, T* dest, const T* source, std::size_t nelems, int root,
                 shmemx_req_t* request) noexcept {
  return start_broadcast(team, {dest, source, bytes_of(nelems, sizeof(T)), root}, request);
}

template <class T>
int alltoall_nb(shmem_team_t team, T* dest, const T* source, std::size_t nelems, shmemx_req_t* request) noexcept {
  return start_alltoall(team, {dest, source, nelems, sizeof(T)}, request);
}

#define WEFT_REDUCTION_NB(OPERATION)                                                              \
  template <class T>                                                                              \
  int reduce_##OPERATION##_nb(shmem_team_t team, T* dest, const T* source, std::size_t count,     \
                              shmemx_req_t* request) noexcept {                                   \
    return start_reduce(team, {dest, source, count, sizeof(T), combine_##OPERATION<T>}, request); \
  }
WEFT_REDUCTION_NB(and)
WEFT_REDUCTION_NB(or)
WEFT_REDUCTION_NB(xor)
WEFT_REDUCTION_NB(max)
WEFT_REDUCTION_NB(min)
WEFT_REDUCTION_NB(sum)
WEFT_REDUCTION_NB(prod)
#undef WEFT_REDUCTION_NB

}  // namespace weft::shmem
