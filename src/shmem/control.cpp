#include "shmem/control.hpp"

#include <atomic>
#include <cstdlib>
#include <cstring>

#include "base/lines.hpp"
#include "coll/barrier.hpp"
#include "job/node.hpp"
#include "os/clock.hpp"
#include "rma/order.hpp"
#include "shmem/contexts.hpp"
#include "shmem/locks.hpp"
#include "shmem/runtime.hpp"

namespace weft::shmem {
namespace {

void need_result(const void* result, const char* argument) noexcept {
  if (result == nullptr) [[unlikely]] {
    base::fail(job::current_call(), "%s is NULL; it must point to room for the result", argument);
  }
}

}  // namespace

void init() noexcept {
  int provided = 0;
  if (initialise(SHMEM_THREAD_SINGLE, &provided) != 0) {
    std::_Exit(1);
  }
}

int init_thread(int requested, int* provided) noexcept {
  need_result(provided, "provided");
  return initialise(requested, provided);
}

void query_thread(int* provided) noexcept {
  need_result(provided, "provided");
  *provided = thread_level();
}

void query_initialized(int* initialized) noexcept {
  need_result(initialized, "initialized");
  *initialized = ready() ? 1 : 0;
}

void finalize() noexcept { finalise(); }

void global_exit(int status) noexcept { exit_job(status); }

void start_pes(int /*npes*/) noexcept { initialise_until_exit(); }

int my_pe() noexcept {
  need_ready();
  return job::node().me;
}

int n_pes() noexcept {
  need_ready();
  return job::node().n_pes;
}

int pe_accessible(int pe) noexcept {
  need_ready();
  return pe >= 0 && pe < job::node().n_pes ? 1 : 0;
}

int addr_accessible(const void* addr, int pe) noexcept {
  const auto at = reinterpret_cast<std::uintptr_t>(addr);
  const memory::Space& space = job::node().space;
  if (pe_accessible(pe) == 0 || !space.symmetric(at, 1)) {
    return 0;
  }
  return space.is_static(at, 1) && !job::same_program(pe) ? 0 : 1;
}

// For this PE itself the address it already has; for others theirs in our mapping, heap and static data alike. There is
// none for PEs of other nodes.
void* address_of_peer(const void* dest, int pe) noexcept {
  if (addr_accessible(dest, pe) == 0) {
    return nullptr;
  }
  const auto at = reinterpret_cast<std::uintptr_t>(dest);
  const int number = job::node().here(pe);
  if (number < 0) {
    return nullptr;
  }
  return reinterpret_cast<void*>(pe == job::node().me ? at : job::node().space.peer(at, number));
}

void info_get_version(int* major, int* minor) noexcept {
  need_result(major, "major");
  need_result(minor, "minor");
  *major = SHMEM_MAJOR_VERSION;
  *minor = SHMEM_MINOR_VERSION;
}

void info_get_name(char* name) noexcept {
  need_result(name, "name");
  static_assert(sizeof SHMEM_VENDOR_STRING <= SHMEM_MAX_NAME_LEN);
  std::memcpy(name, SHMEM_VENDOR_STRING, sizeof SHMEM_VENDOR_STRING);
}

// A hook for profilers, which interpose it; the library itself has nothing to switch.
void pcontrol(int /*level*/) noexcept {}

double wtime() noexcept { return static_cast<double>(os::now_ns()) * 1e-9; }

// Caches are coherent on every machine Weft runs on.
void cache_noop() noexcept { need_ready(); }

int ctx_create(long options, shmem_ctx_t* ctx) noexcept {
  need_result(ctx, "ctx");
  return create_context(SHMEM_TEAM_WORLD, options, ctx);
}

int team_create_ctx(shmem_team_t team, long options, shmem_ctx_t* ctx) noexcept {
  need_result(ctx, "ctx");
  return create_context(team, options, ctx);
}

void ctx_destroy(shmem_ctx_t ctx) noexcept { destroy_context(ctx); }

int ctx_get_team(shmem_ctx_t ctx, shmem_team_t* team) noexcept {
  need_ready();
  need_result(team, "team");
  *team = team_of(ctx);
  return *team == SHMEM_TEAM_INVALID ? 1 : 0;
}

// Hints only, and on one node there is nothing they could change.
void ctx_session_start(shmem_ctx_t ctx, long /*options*/, const shmem_ctx_session_config_t* config,
                       long config_mask) noexcept {
  need_ready();
  if (ctx == SHMEM_CTX_INVALID) {
    return;
  }
  need_context(ctx);
  if (config == nullptr && config_mask != 0) {
    base::fail(job::current_call(), "the configuration is NULL but its mask is %ld; pass a configuration, or mask 0",
               config_mask);
  }
}

void ctx_session_stop(shmem_ctx_t ctx) noexcept {
  need_ready();
  if (ctx != SHMEM_CTX_INVALID) {
    need_context(ctx);
  }
}

void fence(shmem_ctx_t ctx) noexcept {
  if (ctx != SHMEM_CTX_INVALID) {
    need_ready();
    need_context(ctx);
    rma::fence(pending_of(ctx));
  }
}

void quiet(shmem_ctx_t ctx) noexcept {
  if (ctx != SHMEM_CTX_INVALID) {
    need_ready();
    need_context(ctx);
    rma::quiet(pending_of(ctx));
  }
}

// One fence completes everything, so the listed PEs are only checked.
void pe_quiet(shmem_ctx_t ctx, const int* target_pes, std::size_t npes) noexcept {
  if (ctx == SHMEM_CTX_INVALID || npes == 0) {
    need_ready();
    return;
  }
  need_context(ctx);
  need_buffer(target_pes, npes * sizeof *target_pes, "target_pes");
  for (std::size_t k = 0; k < npes; ++k) {
    need_pe(target_of(ctx, target_pes[k]).pe);
  }
  rma::quiet(pending_of(ctx));
}

// On the node the barrier's own fence is the full fence of the quiet it implies, and it wakes sleepers as quiet does.
void barrier_all() noexcept {
  need_ready();
  rma::complete(rma::g_pending);
  coll::barrier();
}

// Completes no puts, but makes stores visible, which the barrier's own release and acquire do.
void sync_all() noexcept {
  need_ready();
  coll::barrier();
}

void set_lock(long* lock) noexcept { checked::set_lock(lock); }

int test_lock(long* lock) noexcept { return checked::test_lock(lock) ? 0 : 1; }

void clear_lock(long* lock) noexcept { checked::clear_lock(lock); }

}  // namespace weft::shmem
