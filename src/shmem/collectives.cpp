#include "shmem/collectives.hpp"

#include "base/lines.hpp"
#include "coll/barrier.hpp"
#include "coll/sets.hpp"
#include "coll/short.hpp"
#include "copy/copy.hpp"
#include "rma/order.hpp"
#include "shmem/near.hpp"

namespace weft::shmem {

static_assert(coll::kPsyncBytes <= SHMEM_SYNC_SIZE * sizeof(long), "the length in shmem.h has room for a call's words");

namespace {

// Most buffers are found in one line.
void need_near(const void* address, std::size_t bytes, const char* argument) noexcept {
  if (!g_near_objects.hold(address, bytes)) [[unlikely]] {
    need_symmetric(address, bytes, argument);
  }
}

}  // namespace

group::Members ActiveSet::members() const noexcept {
  need_ready();
  const job::Node& node = job::node();
  const bool strides = log_stride >= 0 && log_stride < 31;
  const long last = strides ? start + (static_cast<long>(size - 1) << log_stride) : 0;
  if (!strides || start < 0 || size < 1 || last >= node.n_pes) [[unlikely]] {
    base::fail(job::current_call(),
               "PE_start %d, logPE_stride %d, PE_size %d is no set of this job's PEs, which are 0 to %d", start,
               log_stride, size, node.n_pes - 1);
  }
  const group::Members members{start, 1 << log_stride, size};
  if (members.find(node.me) < 0) [[unlikely]] {
    base::fail(job::current_call(),
               "this PE is not in the active set PE_start %d, logPE_stride %d, PE_size %d; only its members may call",
               start, log_stride, size);
  }
  need_near(psync, SHMEM_SYNC_SIZE * sizeof(long), "pSync");
  if (!coll::Party::is_free(psync)) [[unlikely]] {
    base::fail(job::current_call(),
               "pSync at %p is in use or was never set; fill it with SHMEM_SYNC_VALUE on all PEs before its first use, "
               "and let no two calls use it at a time",
               static_cast<const void*>(psync));
  }
  return members;
}

namespace {

[[noreturn, gnu::cold, gnu::noinline]] void fail_for_memory(const coll::Party& party) noexcept {
  base::fail(job::current_call(), "no memory for %zu bytes of a collective call", party.lacks());
}

// Where it is not done the others wait for this PE.
void need_done(const coll::Party& party, bool done) noexcept {
  if (!done) [[unlikely]] {
    fail_for_memory(party);
  }
}

}  // namespace

int team_sync(shmem_team_t team) noexcept {
  coll::team_barrier(need_team(team));
  return 0;
}

void barrier(int start, int log_stride, int size, long* psync) noexcept {
  const group::Members members = ActiveSet{start, log_stride, size, psync}.members();
  rma::quiet();
  coll::Party party(members, psync);
  need_done(party, coll::meet(party));
}

// As after sync_all, stores are visible: the barrier's own release and acquire do it.
void sync(int start, int log_stride, int size, long* psync) noexcept {
  coll::Party party(ActiveSet{start, log_stride, size, psync}.members(), psync);
  need_done(party, coll::meet(party));
}

void need_broadcast(int size, const coll::Broadcast& call, const char* whose) noexcept {
  if (call.root < 0 || call.root >= size) [[unlikely]] {
    base::fail(job::current_call(), "PE_root %d does not exist; it counts within the %s, from 0 to %d", call.root,
               whose, size - 1);
  }
  if (call.bytes > 0) {
    need_near(call.dest, call.bytes, "dest");
    need_near(call.source, call.bytes, "source");
  }
}

// Both buffers hold a block for each member.
void need_alltoall(int size, const coll::Alltoall& call) noexcept {
  if (call.count == 0) {
    return;
  }
  const std::size_t elements = bytes_of(call.count, static_cast<std::size_t>(size));
  if (!call.strided) {
    const std::size_t bytes = bytes_of(elements, call.element);
    need_near(call.dest, bytes, "dest");
    need_near(call.source, bytes, "source");
    return;
  }
  checked::need_strides({call.dst, call.sst, 1});
  need_symmetric(call.dest, checked::reach(call.dst, 1, elements, call.element), "dest");
  need_symmetric(call.source, checked::reach(call.sst, 1, elements, call.element), "source");
}

void need_reduce(const coll::Reduce& call) noexcept {
  if (call.count > 0) {
    const std::size_t bytes = bytes_of(call.count, call.element);
    need_near(call.dest, bytes, "dest");
    need_near(call.source, bytes, "source");
  }
}

void broadcast_over(coll::Party& party, void* dest, const void* source, std::size_t bytes, int root,
                    bool write_root) noexcept {
  const coll::Broadcast call{dest, source, bytes, root};
  need_broadcast(party.members().size, call, write_root ? "team" : "active set");
  if (write_root && party.number() == root && bytes > 0 && dest != source) {
    copy::copy(dest, source, bytes);
  }
  need_done(party, coll::broadcast(party, call));
}

void collect_over(coll::Party& party, void* dest, const void* source, std::size_t bytes) noexcept {
  if (bytes > 0) {
    need_symmetric(source, bytes, "source");
  }
  const auto fits = [](const void* to, std::size_t all) noexcept { need_symmetric(to, all, "dest"); };
  need_done(party, coll::collect(party, dest, source, bytes, fits));
}

void fcollect_over(group::Team& team, void* dest, const void* source, std::size_t bytes) noexcept {
  if (bytes > 0) {
    need_near(dest, bytes_of(bytes, static_cast<std::size_t>(team.members.size)), "dest");
    need_near(source, bytes, "source");
    if (coll::fcollect_shortly(team, dest, source, bytes)) [[likely]] {
      return;
    }
  }
  coll::Party party(team);
  need_done(party, coll::fcollect(party, dest, source, bytes));
}

void alltoall_over(group::Team& team, const coll::Alltoall& call) noexcept {
  need_alltoall(team.members.size, call);
  if (call.count > 0 && coll::alltoall_shortly(team, call)) [[likely]] {
    return;
  }
  coll::Party party(team);
  need_done(party, coll::alltoall(party, call));
}

void reduce_over(group::Team& team, const coll::Reduce& call) noexcept {
  need_reduce(call);
  if (call.count > 0 && coll::reduce_shortly(team, call)) [[likely]] {
    return;
  }
  coll::Party party(team);
  need_done(party, coll::reduce(party, call));
}

void fcollect_over(const ActiveSet& set, void* dest, const void* source, std::size_t bytes) noexcept {
  const group::Members members = set.members();
  if (group::Team* const team = coll::team_of_set(members, set.psync); team != nullptr) {
    fcollect_over(*team, dest, source, bytes);
    return;
  }
  coll::Party party(members, set.psync);
  if (bytes > 0) {
    need_near(dest, bytes_of(bytes, static_cast<std::size_t>(members.size)), "dest");
    need_near(source, bytes, "source");
  }
  need_done(party, coll::fcollect(party, dest, source, bytes));
}

void alltoall_over(const ActiveSet& set, const coll::Alltoall& call) noexcept {
  const group::Members members = set.members();
  if (group::Team* const team = coll::team_of_set(members, set.psync); team != nullptr) {
    alltoall_over(*team, call);
    return;
  }
  coll::Party party(members, set.psync);
  need_alltoall(members.size, call);
  need_done(party, coll::alltoall(party, call));
}

void reduce_over(const ActiveSet& set, const coll::Reduce& call) noexcept {
  const group::Members members = set.members();
  if (group::Team* const team = coll::team_of_set(members, set.psync); team != nullptr) {
    reduce_over(*team, call);
    return;
  }
  coll::Party party(members, set.psync);
  need_reduce(call);
  need_done(party, coll::reduce(party, call));
}

void scan_over(coll::Party& party, const coll::Scan& call) noexcept {
  need_reduce(call);
  need_done(party, coll::scan(party, call));
}

std::size_t need_count(int nreduce) noexcept {
  if (nreduce < 0) [[unlikely]] {
    base::fail(job::current_call(), "nreduce is %d; it must not be negative", nreduce);
  }
  return static_cast<std::size_t>(nreduce);
}

}  // namespace weft::shmem
