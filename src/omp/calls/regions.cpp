// GOMP_parallel*, sections, single, barriers and cancellation.
#include "omp/calls/reduce.hpp"
#include "omp/image/image.hpp"
#include "omp/loops/loops.hpp"
#include "omp/tasks/barrier.hpp"
#include "omp/tasks/cancel.hpp"
#include "omp/team/team.hpp"

namespace weft::omp {
namespace {

using Body = void (*)(void*);

void run(Body body, void* argument, unsigned threads, unsigned flags, const void* site) noexcept {
  Thread& me = self();
  Team& team = take_team(me, resolve_threads(me, threads, 0));
  go(me, team, body, argument, flags);
  body(argument);
  join(me, site);
}

void begin_loop(Body body, void* argument, unsigned threads, const Bounds& loop, unsigned schedule, long chunk,
                unsigned flags) noexcept {
  Thread& me = self();
  Team& team = take_team(me, resolve_threads(me, threads, 0));
  prepare(me, team, loop, schedule, static_cast<std::uint64_t>(chunk));
  go(me, team, body, argument, flags);
}

void run_loop(Body body, void* argument, unsigned threads, const Bounds& loop, unsigned schedule, long chunk,
              unsigned flags, const void* site) noexcept {
  begin_loop(body, argument, threads, loop, schedule, chunk, flags);
  body(argument);
  join(self(), site);
}

Bounds of_sections(unsigned count) noexcept { return bounds(1L, static_cast<long>(count) + 1, 1L); }

unsigned next_section(Thread& me) noexcept {
  Chunk chunk{};
  return next_chunk(me, chunk) ? static_cast<unsigned>(chunk.begin) : 0;
}

unsigned begin_sections(unsigned count, std::uintptr_t* reductions, void** memory) noexcept {
  Thread& me = self();
  const Begun begun = begin_work(me);
  if (begun.first) {
    set_up(me, begun.work, of_sections(count), kDynamic, 1, size_of(me));
  }
  begin_extras(me, begun, reductions, memory);
  if (begun.first && me.at.team != nullptr) {
    ready(begun.work);
  }
  return next_section(me);
}

Construct construct_of(int which) noexcept {
  return (which & (2 | 4)) != 0 ? Construct::kWork : (which & 8) != 0 ? Construct::kTaskgroup : Construct::kParallel;
}

}  // namespace
}  // namespace weft::omp

#pragma GCC visibility push(default)
// NOLINTBEGIN(readability-identifier-naming): compilers call them so.
extern "C" {
using weft::omp::bounds;
using weft::omp::kDynamic;
using weft::omp::kGuided;
using weft::omp::kStatic;

void GOMP_parallel(void (*body)(void*), void* argument, unsigned threads, unsigned flags) {
  weft::omp::run(body, argument, threads, flags, WEFT_SITE);
}
void GOMP_parallel_start(void (*body)(void*), void* argument, unsigned threads) {
  weft::omp::Thread& me = weft::omp::self();
  weft::omp::go(me, weft::omp::take_team(me, weft::omp::resolve_threads(me, threads, 0)), body, argument, 0);
}
void GOMP_parallel_end(void) { weft::omp::join(weft::omp::self(), WEFT_SITE); }

unsigned GOMP_parallel_reductions(void (*body)(void*), void* argument, unsigned threads, unsigned flags) {
  weft::omp::Thread& me = weft::omp::self();
  weft::omp::Team& team = weft::omp::take_team(me, weft::omp::resolve_threads(me, threads, 0));
  const auto size = static_cast<unsigned>(team.size);
  auto* const words = *static_cast<std::uintptr_t**>(argument);
  weft::omp::register_reductions(words, nullptr, nullptr, size);
  weft::omp::Taskgroup group;
  group.reductions = words;
  group.workshare = true;  // no taskgroup that the program could cancel
  team.taskgroup = &group;
  weft::omp::go(me, team, body, argument, flags);
  body(argument);
  weft::omp::join(me, WEFT_SITE);
  return size;
}

#define CHUNKED(kind, schedule)                                                                                        \
  void GOMP_parallel_loop_##kind(void (*body)(void*), void* argument, unsigned threads, long from, long to, long step, \
                                 long chunk, unsigned flags) {                                                         \
    weft::omp::run_loop(body, argument, threads, bounds(from, to, step), schedule, chunk, flags, WEFT_SITE);           \
  }
CHUNKED(static, kStatic)
CHUNKED(dynamic, kDynamic)
CHUNKED(guided, kGuided)
CHUNKED(nonmonotonic_dynamic, kDynamic)
CHUNKED(nonmonotonic_guided, kGuided)

#define DECIDED(kind)                                                                                                  \
  void GOMP_parallel_loop_##kind(void (*body)(void*), void* argument, unsigned threads, long from, long to, long step, \
                                 unsigned flags) {                                                                     \
    weft::omp::run_loop(body, argument, threads, bounds(from, to, step), 0, 0, flags, WEFT_SITE);                      \
  }
DECIDED(runtime)
DECIDED(nonmonotonic_runtime)
DECIDED(maybe_nonmonotonic_runtime)

#define BEGUN(kind, schedule)                                                                                       \
  void GOMP_parallel_loop_##kind##_start(void (*body)(void*), void* argument, unsigned threads, long from, long to, \
                                         long step, long chunk) {                                                   \
    weft::omp::begin_loop(body, argument, threads, bounds(from, to, step), schedule, chunk, 0);                     \
  }
BEGUN(static, kStatic)
BEGUN(dynamic, kDynamic)
BEGUN(guided, kGuided)
void GOMP_parallel_loop_runtime_start(void (*body)(void*), void* argument, unsigned threads, long from, long to,
                                      long step) {
  weft::omp::begin_loop(body, argument, threads, bounds(from, to, step), 0, 0, 0);
}

void GOMP_parallel_sections_start(void (*body)(void*), void* argument, unsigned threads, unsigned count) {
  weft::omp::Thread& me = weft::omp::self();
  weft::omp::Team& team = weft::omp::take_team(me, weft::omp::resolve_threads(me, threads, count));
  weft::omp::prepare(me, team, weft::omp::of_sections(count), kDynamic, 1);
  weft::omp::go(me, team, body, argument, 0);
}
void GOMP_parallel_sections(void (*body)(void*), void* argument, unsigned threads, unsigned count, unsigned flags) {
  weft::omp::Thread& me = weft::omp::self();
  weft::omp::Team& team = weft::omp::take_team(me, weft::omp::resolve_threads(me, threads, count));
  weft::omp::prepare(me, team, weft::omp::of_sections(count), kDynamic, 1);
  weft::omp::go(me, team, body, argument, flags);
  body(argument);
  weft::omp::join(me, WEFT_SITE);
}

unsigned GOMP_sections_start(unsigned count) { return weft::omp::begin_sections(count, nullptr, nullptr); }
unsigned GOMP_sections2_start(unsigned count, uintptr_t* reductions, void** memory) {
  return weft::omp::begin_sections(count, reductions, memory);
}
unsigned GOMP_sections_next(void) { return weft::omp::next_section(weft::omp::self()); }
void GOMP_sections_end(void) { weft::omp::end_work(weft::omp::self(), WEFT_SITE); }
bool GOMP_sections_end_cancel(void) { return weft::omp::end_work_cancel(weft::omp::self(), WEFT_SITE); }
void GOMP_sections_end_nowait(void) { weft::omp::end_work_nowait(weft::omp::self()); }

bool GOMP_single_start(void) { return weft::omp::begin_single(weft::omp::self()); }
void* GOMP_single_copy_start(void) {
  weft::omp::Thread& me = weft::omp::self();
  const weft::omp::Begun begun = weft::omp::begin_work(me);
  const bool far = me.at.team != nullptr && me.at.team->is_far;
  if (begun.first) {
    begun.work.copy = nullptr;
    const auto process = static_cast<std::uint64_t>(weft::omp::image::process()) + 1;
    const bool first_of_all = !far || weft::omp::claim(begun.work, process) == process;
    if (me.at.team != nullptr) {
      weft::omp::ready(begun.work);
    }
    if (first_of_all) {
      return nullptr;
    }
  }
  weft::omp::barrier(me, WEFT_SITE);
  void* const copy = far ? me.at.team->copied : begun.work.copy;
  weft::omp::end_work_nowait(me);
  return copy;
}
void GOMP_single_copy_end(void* copy) {
  weft::omp::Thread& me = weft::omp::self();
  if (me.at.team != nullptr) {
    me.at.work->copy = copy;
    me.at.team->brought = copy;
    weft::omp::barrier(me, WEFT_SITE);
  }
  weft::omp::end_work_nowait(me);
}

void GOMP_scope_start(uintptr_t* reductions) {
  weft::omp::Thread& me = weft::omp::self();
  const weft::omp::Begun begun = weft::omp::begin_work(me);
  weft::omp::begin_reductions(me, begun.work, begun.first, reductions);
  if (begun.first && me.at.team != nullptr) {
    weft::omp::ready(begun.work);
  }
  me.task->group->work = &begun.work;
}

void GOMP_barrier(void) { weft::omp::barrier(weft::omp::self(), WEFT_SITE); }
bool GOMP_barrier_cancel(void) { return weft::omp::barrier_cancel(weft::omp::self(), WEFT_SITE); }

bool GOMP_cancellation_point(int which) {
  return weft::omp::is_cancelled(weft::omp::self(), weft::omp::construct_of(which));
}
bool GOMP_cancel(int which, bool really) {
  weft::omp::Thread& me = weft::omp::self();
  return really ? weft::omp::cancel(me, weft::omp::construct_of(which))
                : weft::omp::is_cancelled(me, weft::omp::construct_of(which));
}

}  // extern "C"
// NOLINTEND(readability-identifier-naming)
#pragma GCC visibility pop
