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
  if (first && self.at.team != nullptr && self.at.team->is_far) {
    // Of the processes' first threads each has made some: those of one are for all.
    const auto mine = reinterpret_cast<std::uintptr_t>(reductions);
    if (const std::uint64_t of_all = claim(work, mine); of_all != mine) {
      unregister_reductions(reductions);
      adopt_reductions(reductions, reinterpret_cast<const std::uintptr_t*>(of_all));
    }
  }
  if (first) {
    work.reductions = reductions;
  }
  group.reductions = reductions;
}

inline void begin_memory(const Thread& self, Work& work, bool first, void** memory) noexcept {
  const auto bytes = reinterpret_cast<std::uintptr_t>(*memory);
  if (first && self.at.team != nullptr && self.at.team->is_far) {
    work.far_memory = share_memory(*self.at.team, work, bytes);
  } else if (first) {
    work.memory = need_memory(bytes, 64);
    std::memset(work.memory, 0, bytes);
  }
  *memory = work.memory != nullptr ? work.memory : work.far_memory;
}

/// The part between begin_work() and ready() that is the same for all.
inline void begin_extras(Thread& self, const Begun& begun, std::uintptr_t* reductions, void** memory) noexcept {
  if (reductions != nullptr) {
    begin_reductions(self, begun.work, begun.first, reductions);
  }
  if (memory != nullptr) {
    begin_memory(self, begun.work, begun.first, memory);
  }
}

}  // namespace weft::omp
