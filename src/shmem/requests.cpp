#include "shmem/requests.hpp"

#include "base/lines.hpp"
#include "rma/order.hpp"
#include "shmem/wait.hpp"

namespace weft::shmem {
namespace {

void need_place(const shmemx_req_t* request) noexcept {
  need_ready();
  if (request == nullptr) [[unlikely]] {
    base::fail(job::current_call(), "request is NULL; it must point to a shmemx_req_t");
  }
}

int give(coll::Ongoing* started, shmemx_req_t* request) noexcept {
  *request = reinterpret_cast<shmemx_req_t>(started);
  return started == nullptr ? 1 : 0;
}

coll::Ongoing* behind(shmemx_req_t request) noexcept {
  auto* started = reinterpret_cast<coll::Ongoing*>(request);
  if (!coll::exists(started)) [[unlikely]] {
    base::fail(job::current_call(), "the request at %p does not exist; it was completed already or never started",
               static_cast<const void*>(started));
  }
  return started;
}

}  // namespace

int team_barrier_nb(shmem_team_t team, shmemx_req_t* request) noexcept {
  need_place(request);
  group::Team& members = need_team(team);
  rma::quiet();
  return give(coll::start_barrier(members), request);
}

int start_broadcast(shmem_team_t team, const coll::Broadcast& call, shmemx_req_t* request) noexcept {
  need_place(request);
  group::Team& members = need_team(team);
  need_broadcast(members.members.size, call, "team");
  return give(coll::start_broadcast(members, call), request);
}

int start_alltoall(shmem_team_t team, const coll::Alltoall& call, shmemx_req_t* request) noexcept {
  need_place(request);
  group::Team& members = need_team(team);
  need_alltoall(members.members.size, call);
  return give(coll::start_alltoall(members, call), request);
}

int start_reduce(shmem_team_t team, const coll::Reduce& call, shmemx_req_t* request) noexcept {
  need_place(request);
  group::Team& members = need_team(team);
  need_reduce(call);
  return give(coll::start_reduce(members, call), request);
}

int req_test(shmemx_req_t* request) noexcept {
  need_place(request);
  if (*request == SHMEMX_REQ_INVALID) {
    return 1;
  }
  if (!coll::test(behind(*request))) {
    checked::after_failed_test();
    return 0;
  }
  *request = SHMEMX_REQ_INVALID;
  return 1;
}

void req_wait(shmemx_req_t* request) noexcept {
  need_place(request);
  if (*request != SHMEMX_REQ_INVALID) {
    coll::wait(behind(*request));
    *request = SHMEMX_REQ_INVALID;
  }
}

}  // namespace weft::shmem
