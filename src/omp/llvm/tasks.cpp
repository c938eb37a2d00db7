// __kmpc_*: explicit tasks. The compiler asks for a task's memory, fills it, and then hands the task in; what it says
// of it stands before it in that memory.
#include <algorithm>
#include <cstdlib>
#include <cstring>

#include "omp/llvm/kmp.hpp"
#include "omp/sync/fatal.hpp"
#include "omp/tasks/cancel.hpp"
#include "omp/tasks/tasks.hpp"
#include "omp/team/team.hpp"

namespace weft::omp::llvm {
namespace {

// Bits of kmp_tasking_flags_t.
constexpr std::uint32_t kFinal = 2;
constexpr std::uint32_t kDestructors = 8;
constexpr std::uint32_t kPriority = 32;

struct alignas(16) Own {
  Task* task;
  std::uint32_t flags;
  std::uint32_t shareds_at;  // from the task that the compiler knows; 0: there are none
  std::uint64_t bytes;       // of that
  bool again;                // an untied one has handed itself in: its next part is to run
};
static_assert(sizeof(Own) == 32);

Own& own_of(Explicit* task) noexcept { return *(reinterpret_cast<Own*>(task) - 1); }

Explicit* make(Thread& me, std::uint32_t flags, std::size_t bytes, std::uint32_t shareds_at) noexcept {
  Task& task = reserve_task(me, sizeof(Own) + bytes);
  auto* const own = static_cast<Own*>(behind(task));
  *own = Own{&task, flags, shareds_at, bytes, false};
  auto* const made = reinterpret_cast<Explicit*>(own + 1);
  std::memset(made, 0, sizeof(Explicit));
  made->shareds = shareds_at != 0 ? reinterpret_cast<char*>(made) + shareds_at : nullptr;
  // What C++ has constructed in it must be destroyed, also where the task is cancelled.
  task.copied = (flags & kDestructors) != 0;
  return made;
}

Explicit* allocate(std::int32_t flags, std::size_t bytes, std::size_t of_shareds, decltype(Explicit::routine) routine) {
  const std::size_t shareds_at = (std::max(bytes, sizeof(Explicit)) + 15) & ~std::size_t{15};
  Explicit* const made = make(self(), static_cast<std::uint32_t>(flags), shareds_at + of_shareds,
                              of_shareds != 0 ? static_cast<std::uint32_t>(shareds_at) : 0);
  made->routine = routine;
  return made;
}

// Untied tasks come in parts, one after the other.
void run_parts(Thread& me, Explicit* task) noexcept {
  Own& own = own_of(task);
  while (own.again) {
    own.again = false;
    (void)task->routine(number_of(me), task);
  }
}

void destroy(Thread& me, Explicit* task) noexcept {
  if ((own_of(task).flags & kDestructors) != 0) {
    (void)task->first.destructors(number_of(me), task);
  }
}

void run(void* given) {
  auto* const task = static_cast<Explicit*>(given);
  Thread& me = self();
  Team* const team = me.at.team;
  if (boot::ThreadRecord* const record = t_noted.record) {  // for people, who know no function of ours
    record->task.store(reinterpret_cast<std::uintptr_t>(task->routine), std::memory_order_relaxed);
  }
  if (team == nullptr || !tasks_cancelled(*team, me.task->group)) {
    own_of(task).again = task->routine != nullptr;  // null: it does nothing but come behind others
    run_parts(me, task);
  }
  destroy(me, task);
}

std::uint32_t flags_of(const Own& own) noexcept { return (own.flags & kFinal) != 0 ? kFinalTask : 0; }

void hand_in(Thread& me, Explicit* task, bool deferred, void** depend) noexcept {
  Own& own = own_of(task);
  if (me.task == own.task) {
    own.again = true;
    return;
  }
  TaskCall call;
  call.body = run;
  call.argument = task;
  call.reserved = own.task;
  call.deferred = deferred;
  call.flags = flags_of(own) | (depend != nullptr ? kDepends : 0);
  // Relaxed: this thread has set it, if another's fulfilling has changed it since, it is none the less not zero.
  call.flags |= own.task->detach.load(std::memory_order_relaxed) != 0 ? kDetach : 0;
  call.depend = depend;
  call.priority = (own.flags & kPriority) != 0 ? task->second.priority : 0;
  if (own.task->copied && me.at.team != nullptr && tasks_cancelled(*me.at.team, me.task->group)) {
    destroy(me, task);  // it is dropped
  }
  make_task(me, call);
}

/// Dependences in libgomp's form, of which the tasks' room knows.
class Depend {
 public:
  Depend(std::int32_t n, const Dependence* list, std::int32_t n_more, const Dependence* more) noexcept {
    const std::size_t all = static_cast<std::size_t>(std::max(n, 0)) + static_cast<std::size_t>(std::max(n_more, 0));
    if (all == 0) {
      return;
    }
    const std::size_t words = kHead + all * 3;
    words_ = words <= kFew ? few_ : static_cast<void**>(need_memory(words * sizeof(void*)));
    std::size_t counts[3] = {0, 0, 0};
    const auto each = [&](auto&& does) {
      for (std::int32_t k = 0; k < n; ++k) {
        does(list[k]);
      }
      for (std::int32_t k = 0; k < n_more; ++k) {
        does(more[k]);
      }
    };
    each([&](const Dependence& one) { ++counts[kind_of(one)]; });
    words_[0] = nullptr;
    words_[1] = number(all);
    words_[2] = number(counts[kWrites]);
    words_[3] = nullptr;
    words_[4] = number(counts[kReads]);
    std::size_t next[3] = {kHead, kHead + counts[kWrites], kHead + counts[kWrites] + counts[kReads]};
    void** object = words_ + kHead + all;  // libgomp's depend objects: an address, and how
    each([&](const Dependence& one) {
      const Kind kind = kind_of(one);
      void* const address = is_all(one) ? nullptr : one.address;
      if (kind == kSet) {
        object[0] = address;
        object[1] = number(kInOutSetObject);
        words_[next[kind]++] = object;
        object += 2;
      } else {
        words_[next[kind]++] = address;
      }
    });
  }
  ~Depend() {
    if (words_ != few_) {
      std::free(words_);
    }
  }
  Depend(const Depend&) = delete;
  Depend& operator=(const Depend&) = delete;
  void** words() noexcept { return words_; }

 private:
  enum Kind : std::uint8_t { kWrites, kReads, kSet };
  static constexpr std::size_t kHead = 5;
  static constexpr std::size_t kFew = kHead + 12 * 3;
  static constexpr std::size_t kInOutSetObject = 5;

  // omp_all_memory: by a flag, or by an address that nothing has.
  static bool is_all(const Dependence& one) noexcept {
    return (one.how & kAllMemory) != 0 || reinterpret_cast<std::uintptr_t>(one.address) == ~std::uintptr_t{0};
  }
  static Kind kind_of(const Dependence& one) noexcept {
    const unsigned how = one.how & ~static_cast<unsigned>(kAllMemory);
    return is_all(one) ? kWrites : how == kIn ? kReads : how == kInOutSet ? kSet : kWrites;
  }
  static void* number(std::size_t n) noexcept { return reinterpret_cast<void*>(n); }

  void** words_ = nullptr;
  void* few_[kFew];
};

// ---- Taskloops

struct Taskloop {
  Explicit* pattern;
  std::size_t low_at, high_at;  // of its bounds
  std::uint64_t low, step;
  void (*copy)(Explicit* to, Explicit* from, std::int32_t last);
  bool deferred;
};

void make_one(Thread& me, const Taskloop& loop, std::uint64_t from, std::uint64_t n, bool last) noexcept {
  const Own& own = own_of(loop.pattern);
  Explicit* const task = make(me, own.flags, own.bytes, own.shareds_at);
  void* const shareds = task->shareds;
  std::memcpy(static_cast<void*>(task), loop.pattern, own.bytes);
  task->shareds = shareds;
  const std::uint64_t low = loop.low + from * loop.step;
  const std::uint64_t high = low + (n - 1) * loop.step;
  std::memcpy(reinterpret_cast<char*>(task) + loop.low_at, &low, sizeof low);
  std::memcpy(reinterpret_cast<char*>(task) + loop.high_at, &high, sizeof high);
  if (loop.copy != nullptr) {
    loop.copy(task, loop.pattern, last ? 1 : 0);
  }
  hand_in(me, task, loop.deferred, nullptr);
}

std::uint64_t iterations(std::uint64_t low, std::uint64_t high, std::int64_t step) noexcept {
  const auto first = static_cast<std::int64_t>(low);
  const auto end = static_cast<std::int64_t>(high);
  if (step == 0 || (step > 0 ? first > end : first < end)) {
    return 0;
  }
  return step > 0 ? (high - low) / static_cast<std::uint64_t>(step) + 1
                  : (low - high) / (0 - static_cast<std::uint64_t>(step)) + 1;
}

constexpr std::int32_t kGrains = 1;
constexpr std::int32_t kTasks = 2;

// Whose group, if it has begun one, is for the caller to end.
void run_taskloop(Explicit* pattern, std::int32_t deferred, const std::uint64_t* low, const std::uint64_t* high,
                  std::int64_t step, std::int32_t no_group, std::int32_t schedule, std::uint64_t size, bool strict,
                  void* copy) noexcept {
  Thread& me = self();
  const std::uint64_t n = iterations(*low, *high, step);
  const auto offset = [&](const void* at) {
    return static_cast<std::size_t>(static_cast<const char*>(at) - reinterpret_cast<char*>(pattern));
  };
  Taskloop loop{pattern, offset(low), offset(high), *low, static_cast<std::uint64_t>(step), nullptr, deferred != 0};
  std::memcpy(&loop.copy, &copy, sizeof copy);
  if (no_group == 0) {
    begin_group(me, nullptr, false);
  }
  std::uint64_t tasks = 10 * static_cast<std::uint64_t>(size_of(me));
  std::uint64_t fixed = 0;
  if (schedule == kGrains && size > 0) {
    tasks = strict ? (n - 1) / size + 1 : n / size;
    fixed = strict ? size : 0;
  } else if (schedule == kTasks && size > 0) {
    tasks = size;
    fixed = strict ? (n - 1) / size + 1 : 0;
  }
  tasks = std::clamp<std::uint64_t>(tasks, 1, std::max<std::uint64_t>(n, 1));
  const std::uint64_t each = n / tasks;
  const std::uint64_t larger = n % tasks;
  std::uint64_t done = 0;
  for (std::uint64_t k = 0; done < n; ++k) {
    const std::uint64_t share = fixed != 0 ? std::min(fixed, n - done) : each + (k < larger ? 1 : 0);
    make_one(me, loop, done, share, done + share == n);
    done += share;
  }
  destroy(me, pattern);
  drop_reserved(me, *own_of(pattern).task);
}

}  // namespace
}  // namespace weft::omp::llvm

#pragma GCC visibility push(default)
// NOLINTBEGIN(readability-identifier-naming,readability-function-size): compilers call them so.
extern "C" {
using weft::omp::self;
using weft::omp::Thread;
using weft::omp::llvm::Dependence;
using weft::omp::llvm::Explicit;
using weft::omp::llvm::Place;
using Routine = decltype(Explicit::routine);

Explicit* __kmpc_omp_task_alloc(Place*, int32_t, int32_t flags, size_t bytes, size_t of_shareds, Routine routine) {
  return weft::omp::llvm::allocate(flags, bytes, of_shareds, routine);
}
Explicit* __kmpc_omp_target_task_alloc(Place*, int32_t, int32_t flags, size_t bytes, size_t of_shareds, Routine routine,
                                       int64_t) {
  return weft::omp::llvm::allocate(flags, bytes, of_shareds, routine);
}
int32_t __kmpc_omp_reg_task_with_affinity(Place*, int32_t, Explicit*, int32_t, void*) { return 0; }

int32_t __kmpc_omp_task(Place*, int32_t, Explicit* task) {
  weft::omp::llvm::hand_in(self(), task, true, nullptr);
  return 0;
}
int32_t __kmpc_omp_task_parts(Place* place, int32_t thread, Explicit* task) {
  return __kmpc_omp_task(place, thread, task);
}
int32_t __kmpc_omp_task_with_deps(Place*, int32_t, Explicit* task, int32_t n, const Dependence* list, int32_t n_more,
                                  const Dependence* more) {
  weft::omp::llvm::Depend depend(n, list, n_more, more);
  weft::omp::llvm::hand_in(self(), task, true, depend.words());
  return 0;
}
void __kmpc_omp_task_begin_if0(Place*, int32_t, Explicit* task) {
  weft::omp::llvm::Own& own = weft::omp::llvm::own_of(task);
  weft::omp::begin_undeferred(self(), *own.task, weft::omp::llvm::flags_of(own));
}
void __kmpc_omp_task_complete_if0(Place*, int32_t, Explicit* task) {
  Thread& me = self();
  weft::omp::llvm::run_parts(me, task);
  weft::omp::llvm::destroy(me, task);
  weft::omp::end_undeferred(me, *weft::omp::llvm::own_of(task).task, WEFT_SITE);
}

void __kmpc_omp_wait_deps(Place*, int32_t, int32_t n, const Dependence* list, int32_t n_more, const Dependence* more) {
  weft::omp::llvm::Depend depend(n, list, n_more, more);
  if (depend.words() != nullptr) {
    weft::omp::wait_for_dependences(self(), depend.words(), WEFT_SITE);
  }
}
void __kmpc_omp_taskwait_deps_51(Place* place, int32_t thread, int32_t n, const Dependence* list, int32_t n_more,
                                 const Dependence* more, int32_t no_wait) {
  if (no_wait == 0) {
    __kmpc_omp_wait_deps(place, thread, n, list, n_more, more);
    return;
  }
  weft::omp::llvm::Depend depend(n, list, n_more, more);
  if (depend.words() != nullptr) {
    weft::omp::task_without_body(self(), depend.words(), WEFT_SITE);
  }
}
int32_t __kmpc_omp_taskwait(Place*, int32_t) {
  weft::omp::wait_for_children(self(), WEFT_SITE);
  return 0;
}
int32_t __kmpc_omp_taskwait_51(Place*, int32_t, int32_t) {
  weft::omp::wait_for_children(self(), WEFT_SITE);
  return 0;
}
// A task may go on at once; others are run where it must wait.
int32_t __kmpc_omp_taskyield(Place*, int32_t, int32_t) { return 0; }

void __kmpc_taskgroup(Place*, int32_t) { weft::omp::begin_group(self(), nullptr, false); }
void __kmpc_end_taskgroup(Place*, int32_t) {
  Thread& me = self();
  if (me.task->group != nullptr) {
    weft::omp::llvm::finish_group(me, WEFT_SITE);
  }
}

void __kmpc_taskloop(Place*, int32_t, Explicit* task, int32_t deferred, uint64_t* low, uint64_t* high, int64_t step,
                     int32_t no_group, int32_t schedule, uint64_t size, void* copy) {
  weft::omp::llvm::run_taskloop(task, deferred, low, high, step, no_group, schedule, size, false, copy);
  if (no_group == 0) {
    weft::omp::llvm::finish_group(self(), WEFT_SITE);
  }
}
void __kmpc_taskloop_5(Place*, int32_t, Explicit* task, int32_t deferred, uint64_t* low, uint64_t* high, int64_t step,
                       int32_t no_group, int32_t schedule, uint64_t size, int32_t strict, void* copy) {
  weft::omp::llvm::run_taskloop(task, deferred, low, high, step, no_group, schedule, size, strict != 0, copy);
  if (no_group == 0) {
    weft::omp::llvm::finish_group(self(), WEFT_SITE);
  }
}

// The event is the task, as omp_fulfill_event() has it.
void* __kmpc_task_allow_completion_event(Place*, int32_t, Explicit* task) {
  weft::omp::Task& made = *weft::omp::llvm::own_of(task).task;
  made.detach.store(1, std::memory_order_relaxed);
  return &made;
}

}  // extern "C"
// NOLINTEND(readability-identifier-naming,readability-function-size)
#pragma GCC visibility pop
