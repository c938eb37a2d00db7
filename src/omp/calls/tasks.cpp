// GOMP_task*: explicit tasks, their groups and reductions.
#include "omp/tasks/tasks.hpp"

#include <algorithm>

#include "omp/calls/reduce.hpp"
#include "omp/tasks/barrier.hpp"

namespace weft::omp {
namespace {

struct Taskloop {
  TaskCall call;
  std::uint64_t iterations = 0;
  std::uint64_t tasks = 0;  // as the clause has it, or 0
};

struct Part {
  std::uint64_t begin, end;
};

// An argument begins with the first iteration and the one behind the last. One after the other: both at once would wait
// for the two stores that have just made them.
void set_part(void* argument, std::uint64_t begin, std::uint64_t end) noexcept {
  std::memcpy(argument, &begin, sizeof begin);
  std::memcpy(static_cast<char*>(argument) + sizeof begin, &end, sizeof end);
}
void adapt_part(void* argument, void* given) noexcept {
  const auto& part = *static_cast<const Part*>(given);
  set_part(argument, part.begin, part.end);
}

std::uint64_t share_up(std::uint64_t n, std::uint64_t by) noexcept { return n / by + (n % by != 0 ? 1 : 0); }

void make_tasks(Thread& me, Taskloop& loop, std::uint64_t start, std::uint64_t step) noexcept {
  const std::uint64_t n = loop.iterations;
  const bool strict = (loop.call.flags & kStrict) != 0;
  std::uint64_t tasks = loop.tasks;
  std::uint64_t fixed = 0;  // iterations of each task but the last; 0: even shares
  if ((loop.call.flags & kGrainsize) != 0) {
    const std::uint64_t grain = std::max<std::uint64_t>(tasks, 1);
    tasks = strict ? share_up(n, grain) : std::max<std::uint64_t>(n / grain, 1);
    fixed = strict ? grain : 0;
  } else if (tasks == 0) {
    tasks = static_cast<std::uint64_t>(size_of(me));
  }
  tasks = std::min(tasks, n);
  const bool group = (loop.call.flags & kNoGroup) == 0;
  if (group) {
    begin_group(me, nullptr, false);
    if ((loop.call.flags & kReduction) != 0) {
      // The words of the reductions follow the two bounds.
      auto* const words = reinterpret_cast<std::uintptr_t**>(loop.call.argument)[2];
      std::uintptr_t* const outer = me.task->group->outer != nullptr ? me.task->group->outer->reductions : nullptr;
      register_reductions(words, outer, nullptr, static_cast<unsigned>(size_of(me)));
      me.task->group->reductions = words;
    }
  }
  loop.call.adapt = adapt_part;
  if (me.at.team != nullptr && many_tasks(*me.at.team, tasks)) {
    loop.call.deferred = false;
  }
  const std::uint64_t each = n / tasks;
  const std::uint64_t larger = n % tasks;
  std::uint64_t done = 0;
  PlainTasks plain(me, loop.call.flags);
  for (std::uint64_t k = 0; k < tasks; ++k) {
    const std::uint64_t share = fixed != 0 ? std::min(fixed, n - done) : each + (k < larger ? 1 : 0);
    const std::uint64_t begin = start + done * step;
    const std::uint64_t end = begin + share * step;
    if (!loop.call.deferred && loop.call.copy == nullptr) {
      set_part(loop.call.argument, begin, end);
      plain.run(loop.call.body, loop.call.argument);
    } else {
      Part part{begin, end};
      loop.call.context = &part;
      make_task(me, loop.call);
    }
    done += share;
  }
  if (group) {
    end_group(me, loop.call.site);
  }
}

void run_taskloop(Taskloop& loop, std::uint64_t start, std::uint64_t step) noexcept {
  Thread& me = self();
  if (loop.iterations == 0) {
    if ((loop.call.flags & (kNoGroup | kReduction)) == kReduction) {
      reinterpret_cast<std::uintptr_t**>(loop.call.argument)[2][2] = 0;  // no copies were made
    }
    return;
  }
  make_tasks(me, loop, start, step);
}

Taskloop taskloop_of(void (*body)(void*), void* argument, void (*copy)(void*, void*), long bytes, long alignment,
                     unsigned flags, unsigned long tasks, int priority) noexcept {
  Taskloop loop;
  loop.call.body = body;
  loop.call.argument = argument;
  loop.call.copy = copy;
  loop.call.bytes = static_cast<std::size_t>(bytes);
  loop.call.alignment = static_cast<std::size_t>(std::max(alignment, 1L));
  loop.call.deferred = (flags & kIf) != 0;
  loop.call.flags = flags & ~kDepends;
  loop.call.priority = priority;
  loop.tasks = tasks;
  return loop;
}

std::uint64_t iterations(bool up, std::uint64_t start, std::uint64_t end, std::uint64_t step) noexcept {
  const std::uint64_t distance = up ? end - start : start - end;
  const std::uint64_t stride = up ? step : ~step + 1;
  return distance == 0 || stride == 0 ? 0 : (distance - 1) / stride + 1;
}

}  // namespace
}  // namespace weft::omp

#pragma GCC visibility push(default)
// NOLINTBEGIN(readability-identifier-naming,readability-function-size): compilers call them so.
extern "C" {
using Ull = unsigned long long;

void GOMP_task(void (*body)(void*), void* argument, void (*copy)(void*, void*), long bytes, long alignment,
               bool deferred, unsigned flags, void** depend, int priority, void* detach) {
  weft::omp::Thread& me = weft::omp::self();
  if (copy == nullptr && (flags & (weft::omp::kDepends | weft::omp::kDetach)) == 0 &&
      !weft::omp::is_deferred(me, deferred, flags)) {
    weft::omp::run_plain(me, body, argument, flags);
    return;
  }
  weft::omp::TaskCall call;
  call.body = body;
  call.argument = argument;
  call.copy = copy;
  call.bytes = static_cast<std::size_t>(bytes);
  call.alignment = static_cast<std::size_t>(std::max(alignment, 1L));
  call.deferred = deferred;
  call.flags = flags;
  call.depend = depend;
  call.priority = (flags & 1U << 4) != 0 ? priority : 0;
  call.detach = static_cast<void**>(detach);
  call.site = WEFT_SITE;
  weft::omp::make_task(me, call);
}

void GOMP_taskloop(void (*body)(void*), void* argument, void (*copy)(void*, void*), long bytes, long alignment,
                   unsigned flags, unsigned long tasks, int priority, long start, long end, long step) {
  weft::omp::Taskloop loop = weft::omp::taskloop_of(body, argument, copy, bytes, alignment, flags, tasks, priority);
  loop.call.site = WEFT_SITE;
  const bool up = step > 0;
  loop.iterations = up == (start < end) ? weft::omp::iterations(up, static_cast<Ull>(start), static_cast<Ull>(end),
                                                                static_cast<Ull>(step))
                                        : 0;
  weft::omp::run_taskloop(loop, static_cast<Ull>(start), static_cast<Ull>(step));
}

void GOMP_taskloop_ull(void (*body)(void*), void* argument, void (*copy)(void*, void*), long bytes, long alignment,
                       unsigned flags, unsigned long tasks, int priority, Ull start, Ull end, Ull step) {
  weft::omp::Taskloop loop = weft::omp::taskloop_of(body, argument, copy, bytes, alignment, flags, tasks, priority);
  loop.call.site = WEFT_SITE;
  const bool up = (flags & weft::omp::kUp) != 0;
  loop.iterations = up == (start < end) ? weft::omp::iterations(up, start, end, step) : 0;
  weft::omp::run_taskloop(loop, start, step);
}

void GOMP_taskwait(void) { weft::omp::wait_for_children(weft::omp::self(), WEFT_SITE); }
void GOMP_taskwait_depend(void** depend) { weft::omp::wait_for_dependences(weft::omp::self(), depend, WEFT_SITE); }
void GOMP_taskwait_depend_nowait(void** depend) { weft::omp::task_without_body(weft::omp::self(), depend, WEFT_SITE); }

// A task may go on at once; others are run where it must wait.
void GOMP_taskyield(void) {}

void GOMP_taskgroup_start(void) {
  weft::omp::Thread& me = weft::omp::self();
  if (me.at.team != nullptr) {  // without a team all tasks run at once
    weft::omp::begin_group(me, nullptr, false);
  }
}
void GOMP_taskgroup_end(void) {
  weft::omp::Thread& me = weft::omp::self();
  if (me.at.team != nullptr || me.task->group != nullptr) {
    weft::omp::end_group(me, WEFT_SITE);
  }
}

void GOMP_taskgroup_reduction_register(uintptr_t* words) {
  weft::omp::Thread& me = weft::omp::self();
  if (me.task->group == nullptr) {
    weft::omp::begin_group(me, nullptr, false);
  }
  weft::omp::Taskgroup& group = *me.task->group;
  weft::omp::register_reductions(words, group.reductions, nullptr, static_cast<unsigned>(weft::omp::size_of(me)));
  group.reductions = words;
}
void GOMP_taskgroup_reduction_unregister(uintptr_t* words) { weft::omp::unregister_reductions(words); }
void GOMP_task_reduction_remap(size_t n, size_t n_original, void** addresses) {
  weft::omp::remap_reductions(weft::omp::self(), n, n_original, addresses);
}

void GOMP_workshare_task_reduction_unregister(bool cancelled) {
  weft::omp::Thread& me = weft::omp::self();
  std::uintptr_t* const words = me.task->group->reductions;
  weft::omp::Work* const work = me.task->group->work;
  weft::omp::end_group(me, WEFT_SITE);
  if (me.at.number == 0) {
    weft::omp::unregister_reductions(words);
  }
  if (!cancelled) {
    weft::omp::barrier(me, WEFT_SITE);
  }
  if (work != nullptr) {
    weft::omp::Work* const at = me.at.work;
    me.at.work = work;
    weft::omp::end_work_nowait(me);
    me.at.work = at == work ? nullptr : at;
  }
}

void omp_fulfill_event(void* event) {
  if (event != nullptr) {
    weft::omp::fulfill(*static_cast<weft::omp::Task*>(event));
  }
}
void omp_fulfill_event_(void** event) { omp_fulfill_event(*event); }

}  // extern "C"
// NOLINTEND(readability-identifier-naming,readability-function-size)
#pragma GCC visibility pop
