// __kmpc_*: reductions by tasks. Each thread has a copy of each variable, made when one of its tasks first asks for it;
// they are put together when the group's tasks are done.
#include <cstdlib>
#include <cstring>
#include <new>

#include "omp/llvm/kmp.hpp"
#include "omp/loops/loops.hpp"
#include "omp/sync/fatal.hpp"
#include "omp/tasks/tasks.hpp"
#include "omp/team/team.hpp"

namespace weft::omp {

/// Copies of all threads: of a group, or of all groups of a construct with a task modifier, of which each thread has
/// one.
struct Copies {
  std::atomic<int> groups;
  int threads;
  std::size_t bytes;  // of one thread's
  char* memory;
  bool* made;  // by thread, then by variable
};

struct Reduction {
  int n;
  Copies* copies;
  struct Variable {
    llvm::Reduced is;
    std::size_t at;  // in a thread's copies
  } * variables;
};

namespace llvm {
namespace {

constexpr std::size_t kLine = 64;  // copies of two threads are not in one cache line

Reduction* make_reduction(int n, const Reduced* list, std::size_t* bytes) noexcept {
  const auto many = static_cast<std::size_t>(n);
  auto* const made = new (need_memory(sizeof(Reduction) + many * sizeof(Reduction::Variable))) Reduction{};
  made->n = n;
  made->variables = reinterpret_cast<Reduction::Variable*>(made + 1);
  *bytes = 0;
  for (std::size_t k = 0; k < many; ++k) {
    made->variables[k] = {list[k], *bytes};
    *bytes += (list[k].bytes + kLine - 1) & ~(kLine - 1);
  }
  return made;
}

Copies* make_copies(int n, int threads, int groups, std::size_t bytes) noexcept {
  auto* const copies = new (need_memory(sizeof(Copies), alignof(Copies))) Copies{};
  const auto many = static_cast<std::size_t>(threads);
  copies->groups.store(groups, std::memory_order_relaxed);
  copies->threads = threads;
  copies->bytes = bytes;
  copies->memory = static_cast<char*>(need_memory(bytes * many, kLine));
  const std::size_t marks = many * static_cast<std::size_t>(n);
  copies->made = static_cast<bool*>(need_memory(marks != 0 ? marks : 1));
  std::memset(copies->made, 0, marks);
  return copies;
}

void free_copies(Copies* copies) noexcept {
  std::free(copies->memory);
  std::free(copies->made);
  std::free(copies);
}

void* begin(int n, const Reduced* list) noexcept {
  Thread& me = self();
  if (me.task->group == nullptr) {
    begin_group(me, nullptr, false);
  }
  std::size_t bytes = 0;
  Reduction* const made = make_reduction(n, list, &bytes);
  made->copies = make_copies(n, size_of(me), 1, bytes);
  me.task->group->reduction = made;
  return me.task->group;
}

// Of a construct: each thread has a group of its own, and all of a process have the same copies. What is put together
// is one thread's own variables, which the program reduces then.
void* begin_for_all(int n, const Reduced* list) noexcept {
  Thread& me = self();
  begin_group(me, nullptr, true);
  std::size_t bytes = 0;
  Reduction* const made = make_reduction(n, list, &bytes);
  const Begun begun = begin_work(me);
  if (begun.first) {
    begun.work.copy = make_copies(n, size_of(me), me.at.team != nullptr ? me.at.team->here : 1, bytes);
    if (me.at.team != nullptr) {
      ready(begun.work);
    }
  }
  made->copies = static_cast<Copies*>(begun.work.copy);
  end_work_nowait(me);
  me.task->group->reduction = made;
  return me.task->group;
}

void combine(const Reduction& reduction) noexcept {
  const Copies& copies = *reduction.copies;
  for (int thread = 0; thread < copies.threads; ++thread) {
    for (int k = 0; k < reduction.n; ++k) {
      if (copies.made[thread * reduction.n + k]) {
        const Reduction::Variable& variable = reduction.variables[k];
        char* const copy = copies.memory + static_cast<std::size_t>(thread) * copies.bytes + variable.at;
        variable.is.combine(variable.is.shared, copy);
        if (variable.is.end != nullptr) {
          variable.is.end(copy);
        }
      }
    }
  }
}

// Which of the variables the address is of, itself or anybody's copy; null: none.
const Reduction::Variable* find(const Reduction& reduction, const void* address) noexcept {
  const Copies& copies = *reduction.copies;
  const auto at = reinterpret_cast<std::uintptr_t>(address);
  const auto first = reinterpret_cast<std::uintptr_t>(copies.memory);
  const bool is_copy = at >= first && at < first + copies.bytes * static_cast<std::size_t>(copies.threads);
  for (int k = 0; k < reduction.n; ++k) {
    const Reduction::Variable& variable = reduction.variables[k];
    if (variable.is.shared == address || variable.is.original == address ||
        (is_copy && (at - first) % copies.bytes - variable.at < variable.is.bytes)) {
      return &variable;
    }
  }
  return nullptr;
}

void* copy_for(Thread& me, const Reduction& reduction, const Reduction::Variable& variable) noexcept {
  const Copies& copies = *reduction.copies;
  const int thread = me.at.number < copies.threads ? me.at.number : 0;
  char* const copy = copies.memory + static_cast<std::size_t>(thread) * copies.bytes + variable.at;
  bool& made = copies.made[thread * reduction.n + (&variable - reduction.variables)];
  if (!made) {
    made = true;
    if (variable.is.init != nullptr) {
      variable.is.init(copy, variable.is.original != nullptr ? variable.is.original : variable.is.shared);
    } else {
      std::memset(copy, 0, variable.is.bytes);
    }
  }
  return copy;
}

// What clang before 11 says of a variable: its functions that begin a copy take that alone, and the second argument
// that they are called with does no harm.
struct OlderReduced {
  void* shared;
  std::size_t bytes;
  void (*init)(void* copy, void* original);
  void (*end)(void* copy);
  void (*combine)(void* into, void* copy);
  std::uint32_t flags;
};
static_assert(sizeof(OlderReduced) == 48);

void* begin_older(int n, const void* given, void* (*begins)(int n, const Reduced* list) noexcept) noexcept {
  const auto* const older = static_cast<const OlderReduced*>(given);
  const auto many = static_cast<std::size_t>(n);
  auto* const list = static_cast<Reduced*>(need_memory((many + 1) * sizeof(Reduced)));
  for (std::size_t k = 0; k < many; ++k) {
    list[k] = {older[k].shared, nullptr, older[k].bytes, older[k].init, older[k].end, older[k].combine, older[k].flags};
  }
  void* const group = begins(n, list);
  std::free(list);
  return group;
}

}  // namespace

void finish_group(Thread& self, const void* site) noexcept {
  wait_for_group(self, site);
  Reduction* const reduction = self.task->group->reduction;
  // Acquire and release: the last one finds what all have written.
  if (reduction != nullptr && reduction->copies->groups.fetch_sub(1, std::memory_order_acq_rel) == 1) {
    combine(*reduction);
    free_copies(reduction->copies);
  }
  std::free(reduction);
  end_group(self, site);
}

}  // namespace llvm
}  // namespace weft::omp

#pragma GCC visibility push(default)
// NOLINTBEGIN(readability-identifier-naming): compilers call them so.
extern "C" {
using weft::omp::self;
using weft::omp::llvm::Place;
using weft::omp::llvm::Reduced;

void* __kmpc_taskred_init(int32_t, int32_t n, void* list) {
  return weft::omp::llvm::begin(n, static_cast<const Reduced*>(list));
}
void* __kmpc_taskred_modifier_init(Place*, int32_t, int32_t, int32_t n, void* list) {
  return weft::omp::llvm::begin_for_all(n, static_cast<const Reduced*>(list));
}
void* __kmpc_task_reduction_init(int32_t, int32_t n, void* list) {
  return weft::omp::llvm::begin_older(n, list, weft::omp::llvm::begin);
}
void* __kmpc_task_reduction_modifier_init(Place*, int32_t, int32_t, int32_t n, void* list) {
  return weft::omp::llvm::begin_older(n, list, weft::omp::llvm::begin_for_all);
}
void __kmpc_task_reduction_modifier_fini(Place*, int32_t, int32_t) { weft::omp::llvm::finish_group(self(), WEFT_SITE); }
// given: a group, or null for the innermost one.
void* __kmpc_task_reduction_get_th_data(int32_t, void* given, void* address) {
  weft::omp::Thread& me = self();
  const auto* group = given != nullptr ? static_cast<weft::omp::Taskgroup*>(given) : me.task->group;
  for (; group != nullptr; group = group->outer) {
    if (group->reduction != nullptr) {
      if (const auto* const variable = weft::omp::llvm::find(*group->reduction, address); variable != nullptr) {
        return weft::omp::llvm::copy_for(me, *group->reduction, *variable);
      }
    }
  }
  weft::omp::die("couldn't find matching task_reduction or reduction with task modifier for %p", address);
}

}  // extern "C"
// NOLINTEND(readability-identifier-naming)
#pragma GCC visibility pop
