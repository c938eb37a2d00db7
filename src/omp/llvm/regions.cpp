// __kmpc_*: parallel regions, leagues, what one thread does for all, reductions, barriers and cancellation.
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <utility>

#include "omp/image/image.hpp"
#include "omp/llvm/kmp.hpp"
#include "omp/loops/loops.hpp"
#include "omp/loops/ordered.hpp"
#include "omp/sync/fatal.hpp"
#include "omp/sync/locks.hpp"
#include "omp/tasks/barrier.hpp"
#include "omp/tasks/cancel.hpp"
#include "omp/team/league.hpp"
#include "omp/team/team.hpp"

namespace weft::omp::llvm {

std::int32_t give_number(Thread& self) noexcept {
  static std::atomic<std::int32_t> threads{0};
  // Relaxed: only that they differ, in this process and from those of others.
  return self.said.number = image::process() << 20 | threads.fetch_add(1, std::memory_order_relaxed);
}

namespace {

using Body = void (*)(std::int32_t* thread, std::int32_t* bound, ...);

struct Call {
  Body body;
  void* const* arguments;
  int rounded;
};

// Arguments beyond those that the function takes do no harm: who calls takes them away again.
template <std::size_t... k>
void call_with(const Call& call, std::int32_t* thread, std::int32_t* bound, std::index_sequence<k...> /*all*/) {
  using Fixed = void (*)(std::int32_t*, std::int32_t*, decltype(static_cast<void>(k), static_cast<void*>(nullptr))...);
  reinterpret_cast<Fixed>(call.body)(thread, bound, call.arguments[k]...);
}

constexpr int kRounded[] = {4, 14, 62, 254};

int round_up(int arguments) noexcept {
  for (const int n : kRounded) {
    if (arguments <= n) {
      return n;
    }
  }
  die("a parallel region has %d arguments, more than the %d that clang's programs may have", arguments, kRounded[3]);
}

void run_body(void* given) {
  const Call& call = *static_cast<const Call*>(given);
  std::int32_t thread = number_of(self());
  std::int32_t bound = 0;
  switch (call.rounded) {
    case kRounded[0]: call_with(call, &thread, &bound, std::make_index_sequence<kRounded[0]>()); break;
    case kRounded[1]: call_with(call, &thread, &bound, std::make_index_sequence<kRounded[1]>()); break;
    case kRounded[2]: call_with(call, &thread, &bound, std::make_index_sequence<kRounded[2]>()); break;
    default: call_with(call, &thread, &bound, std::make_index_sequence<kRounded[3]>()); break;
  }
}

void run_region(Call& call, const void* site) noexcept {
  Thread& me = self();
  Team& team = take_team(me, resolve_threads(me, std::exchange(me.said.threads, 0), 0));
  team.code = reinterpret_cast<const void*>(call.body);
  go(me, team, run_body, &call, std::exchange(me.said.bind, 0));
  run_body(&call);
  join(me, site);
}

void begin_alone() noexcept {
  Thread& me = self();
  me.said.threads = 0;
  go(me, take_team(me, 1), nullptr, nullptr, std::exchange(me.said.bind, 0));
}

void run_teams(Call& call, const void* /*site*/) noexcept {
  Thread& me = self();
  const unsigned asked = std::exchange(me.said.teams, 0);
  const unsigned teams = asked != 0 ? asked : g_settings.num_teams != 0 ? g_settings.num_teams : 1;
  run_league(me, teams, std::exchange(me.said.thread_limit, 0), run_body, &call);
}

void lock_name(Name* name, const void* site) noexcept {
  lock(*reinterpret_cast<Mutex*>(name), ThreadWaits::kCritical, site);
}
void unlock_name(Name* name) noexcept { unlock(*reinterpret_cast<Mutex*>(name)); }

// 1: the thread adds its part alone; 2: by atomic operations.
std::int32_t begin_reduce(const Place* place, Name* name, const void* site) noexcept {
  if (size_of(self()) == 1) {
    return 1;
  }
  if ((place->flags & kAtomicReduce) != 0 && image::far() == nullptr) {
    return 2;
  }
  lock_name(name, site);
  return 1;
}

// Only who got 1 comes here without a barrier behind it.
void end_reduce(const Place* place, Name* name) noexcept {
  if (size_of(self()) > 1 && ((place->flags & kAtomicReduce) == 0 || image::far() != nullptr)) {
    unlock_name(name);
  }
}

Construct construct_of(std::int32_t kind) noexcept {
  return kind == 1 ? Construct::kParallel : kind == 4 ? Construct::kTaskgroup : Construct::kWork;
}

// Who leaves a loop early does not ask for its next chunk, and so ends it here.
std::int32_t leaves(Thread& me, std::int32_t kind, bool does) noexcept {
  if (does && construct_of(kind) == Construct::kWork && me.at.work != nullptr && me.at.team != nullptr) {
    end_work_nowait(me);
  }
  return does ? 1 : 0;
}

}  // namespace
}  // namespace weft::omp::llvm

#pragma GCC visibility push(default)
// NOLINTBEGIN(readability-identifier-naming,cert-dcl50-cpp): compilers call them so.
extern "C" {
using weft::omp::self;
using weft::omp::Thread;
using weft::omp::llvm::Name;
using weft::omp::llvm::Place;

void __kmpc_begin(Place*, int32_t) {}
void __kmpc_end(Place*) {}
int32_t __kmpc_global_thread_num(Place*) { return weft::omp::llvm::number_of(self()); }
int32_t __kmpc_global_num_threads(Place*) { return weft::omp::size_of(self()); }
int32_t __kmpc_bound_thread_num(Place*) { return self().at.number; }
int32_t __kmpc_bound_num_threads(Place*) { return weft::omp::size_of(self()); }
int32_t __kmpc_in_parallel(Place*) { return self().at.active_level > 0 ? 1 : 0; }
int32_t __kmpc_ok_to_fork(Place*) { return 1; }

// The arguments are shared by all threads, so they lie in the frame of who is in the region last.
#define WITH_CALL(run)                                                                                            \
  const int rounded = weft::omp::llvm::round_up(n);                                                               \
  void** const arguments = static_cast<void**>(__builtin_alloca(sizeof(void*) * static_cast<unsigned>(rounded))); \
  std::va_list list;                                                                                              \
  va_start(list, body);                                                                                           \
  for (int k = 0; k < rounded; ++k) {                                                                             \
    arguments[k] = k < n ? va_arg(list, void*) : nullptr;                                                         \
  }                                                                                                               \
  va_end(list);                                                                                                   \
  weft::omp::llvm::Call call{body, arguments, rounded};                                                           \
  run(call, WEFT_SITE)

void __kmpc_fork_call(Place*, int32_t n, weft::omp::llvm::Body body, ...) { WITH_CALL(weft::omp::llvm::run_region); }
void __kmpc_fork_teams(Place*, int32_t n, weft::omp::llvm::Body body, ...) { WITH_CALL(weft::omp::llvm::run_teams); }

// Of later compilers: the arguments are one, and the region is of one thread unless `really`.
void __kmpc_fork_call_if(Place*, int32_t, weft::omp::llvm::Body body, int32_t really, void* argument) {
  void* arguments[weft::omp::llvm::kRounded[0]] = {argument};
  weft::omp::llvm::Call call{body, arguments, weft::omp::llvm::kRounded[0]};
  if (really == 0) {
    self().said.threads = 1;
  }
  weft::omp::llvm::run_region(call, WEFT_SITE);
}
void __kmpc_serialized_parallel(Place*, int32_t) { weft::omp::llvm::begin_alone(); }
void __kmpc_end_serialized_parallel(Place*, int32_t) { weft::omp::join(self(), WEFT_SITE); }

void __kmpc_push_num_threads(Place*, int32_t, int32_t threads) {
  self().said.threads = threads > 0 ? static_cast<unsigned>(threads) : 1;
}
void __kmpc_pop_num_threads(Place*, int32_t) {}
void __kmpc_push_proc_bind(Place*, int32_t, int32_t bind) { self().said.bind = static_cast<unsigned>(bind) & 7; }
void __kmpc_push_num_teams(Place*, int32_t, int32_t teams, int32_t limit) {
  Thread& me = self();
  me.said.teams = teams > 0 ? static_cast<unsigned>(teams) : 0;
  me.said.thread_limit = limit > 0 ? static_cast<unsigned>(limit) : 0;
}
void __kmpc_push_num_teams_51(Place* place, int32_t thread, int32_t low, int32_t high, int32_t limit) {
  __kmpc_push_num_teams(place, thread, low > 0 ? low : high, limit);
}
void __kmpc_set_thread_limit(Place*, int32_t, int32_t limit) {
  if (limit > 0) {
    self().task->icv.thread_limit = static_cast<unsigned>(limit);
  }
}

int32_t __kmpc_master(Place*, int32_t) { return self().at.number == 0 ? 1 : 0; }
void __kmpc_end_master(Place*, int32_t) {}
int32_t __kmpc_masked(Place*, int32_t, int32_t number) { return self().at.number == number ? 1 : 0; }
void __kmpc_end_masked(Place*, int32_t) {}
int32_t __kmpc_single(Place*, int32_t) { return weft::omp::begin_single(self()) ? 1 : 0; }
void __kmpc_end_single(Place*, int32_t) {}
void __kmpc_scope(Place*, int32_t, void*) {}
void __kmpc_end_scope(Place*, int32_t, void*) {}
void __kmpc_copyprivate(Place*, int32_t, size_t, void* mine, void (*copy)(void* to, void* from), int32_t has_it) {
  Thread& me = self();
  weft::omp::Team* const team = me.at.team;
  if (team == nullptr || team->size == 1) {
    return;
  }
  if (has_it != 0) {
    (team->is_far ? team->brought : team->copied) = mine;
  }
  weft::omp::barrier(me, WEFT_SITE);
  if (has_it == 0) {
    copy(mine, team->copied);
  }
  weft::omp::barrier(me, WEFT_SITE);  // then it may change
}

void __kmpc_critical(Place*, int32_t, Name* name) { weft::omp::llvm::lock_name(name, WEFT_SITE); }
void __kmpc_critical_with_hint(Place*, int32_t, Name* name, uint32_t) { weft::omp::llvm::lock_name(name, WEFT_SITE); }
void __kmpc_end_critical(Place*, int32_t, Name* name) { weft::omp::llvm::unlock_name(name); }
void __kmpc_ordered(Place*, int32_t) { weft::omp::wait_for_turn(self(), WEFT_SITE); }
void __kmpc_end_ordered(Place*, int32_t) {}
void __kmpc_flush(Place*) {
  std::atomic_thread_fence(std::memory_order_seq_cst);
  if (weft::omp::image::far() != nullptr) {
    weft::omp::image::release();
    weft::omp::image::acquire(WEFT_SITE);
  }
}
void __kmpc_barrier(Place*, int32_t) { weft::omp::barrier(self(), WEFT_SITE); }

int32_t __kmpc_reduce_nowait(Place* place, int32_t, int32_t, size_t, void*, void (*)(void*, void*), Name* name) {
  return weft::omp::llvm::begin_reduce(place, name, WEFT_SITE);
}
void __kmpc_end_reduce_nowait(Place* place, int32_t, Name* name) { weft::omp::llvm::end_reduce(place, name); }
int32_t __kmpc_reduce(Place* place, int32_t, int32_t, size_t, void*, void (*)(void*, void*), Name* name) {
  return weft::omp::llvm::begin_reduce(place, name, WEFT_SITE);
}
void __kmpc_end_reduce(Place* place, int32_t, Name* name) {
  weft::omp::llvm::end_reduce(place, name);
  weft::omp::barrier(self(), WEFT_SITE);
}

int32_t __kmpc_cancel_barrier(Place*, int32_t) { return weft::omp::barrier_cancel(self(), WEFT_SITE) ? 1 : 0; }
int32_t __kmpc_cancel(Place*, int32_t, int32_t kind) {
  Thread& me = self();
  return weft::omp::llvm::leaves(me, kind, weft::omp::cancel(me, weft::omp::llvm::construct_of(kind)));
}
int32_t __kmpc_cancellationpoint(Place*, int32_t, int32_t kind) {
  Thread& me = self();
  return weft::omp::llvm::leaves(me, kind, weft::omp::is_cancelled(me, weft::omp::llvm::construct_of(kind)));
}
int kmp_get_cancellation_status(int kind) {
  return weft::omp::is_cancelled(self(), weft::omp::llvm::construct_of(kind)) ? 1 : 0;
}

void __kmpc_error(Place* place, int32_t severity, const char* message) {
  const char* const source = place != nullptr && place->source != nullptr ? place->source : "";
  (void)std::fprintf(stderr, "OMP: %s: %s (%s)\n", severity == 2 ? "Error" : "Warning", message, source);
  if (severity == 2) {
    std::exit(1);
  }
}

}  // extern "C"
// NOLINTEND(readability-identifier-naming,cert-dcl50-cpp)
#pragma GCC visibility pop
