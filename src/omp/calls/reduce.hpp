// What constructs with reductions by tasks, or with memory for all threads, begin with.
#pragma once

#include <cstdint>
#include <cstdlib>
#include <cstring>

#include "omp/loops/loops.hpp"
#include "omp/sync/fatal.hpp"
#include "omp/tasks/reductions.hpp"
#include "omp/tasks/tasks.hpp"
#include "omp/team/team.hpp"

namespace weft::omp {

inline void begin_reductions(Thread& self, Work& work, bool first, std::uintptr_t* reductions) noexcept {
  begin_group(self, nullptr, true);
  Taskgroup& group = *self.task->group;
  std::uintptr_t* const outer = group.outer != nullptr ? group.outer->reductions : nullptr;
  register_reductions(reductions, outer, first ? nullptr : work.reductions, static_cast<unsigned>(size_of(self)));
  if (first) {
    work.reductions = reductions;
  }
  group.reductions = reductions;
}

inline void begin_memory(Work& work, bool first, void** memory) noexcept {
  if (first) {
    const auto bytes = reinterpret_cast<std::uintptr_t>(*memory);
    work.memory = need_memory(bytes, 64);
    std::memset(work.memory, 0, bytes);
  }
  *memory = work.memory;
}

/// The part between begin_work() and ready() that is the same for all.
inline void begin_extras(Thread& self, const Begun& begun, std::uintptr_t* reductions, void** memory) noexcept {
  if ((reductions != nullptr || memory != nullptr) && self.at.team != nullptr && self.at.team->is_far) {
    die_far(reductions != nullptr ? "a reduction with the task modifier" : "lastprivate(conditional) or scan");
  }
  if (reductions != nullptr) {
    begin_reductions(self, begun.work, begun.first, reductions);
  }
  if (memory != nullptr) {
    begin_memory(begun.work, begun.first, memory);
  }
}

}  // namespace weft::omp
