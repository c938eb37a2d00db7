// What clang's programs and the library both know: the layout of what the compiler makes.
#pragma once

#include <cstddef>
#include <cstdint>

#include "omp/state/team.hpp"

namespace weft::omp::llvm {

/// ident_t: where a construct is in the source.
struct Place {
  std::int32_t reserved_1;
  std::int32_t flags;
  std::int32_t reserved_2;
  std::int32_t reserved_3;
  const char* source;  // ";file;function;line;column;;"
};
inline constexpr std::int32_t kAtomicReduce = 0x10;  // the compiler has made a reduction by atomic operations too

/// A named critical section's memory, zero at first. The first word is a Mutex.
using Name = std::int32_t[8];

/// kmp_task_t, in memory of a Task; firstprivate variables and those of a taskloop follow.
struct Explicit {
  void* shareds;
  std::int32_t (*routine)(std::int32_t thread, Explicit* task);
  std::int32_t part;  // of an untied one: where it goes on
  union {
    std::int32_t (*destructors)(std::int32_t thread, Explicit* task);
    std::int32_t unused;
  } first;
  union {
    std::int32_t priority;
    void* unused;
  } second;
};
static_assert(sizeof(Explicit) == 40);

/// kmp_depend_info_t.
struct Dependence {
  void* address;
  std::size_t bytes;
  std::uint8_t how;
};
inline constexpr std::uint8_t kIn = 1;
inline constexpr std::uint8_t kOut = 2;
inline constexpr std::uint8_t kInOutSet = 8;
inline constexpr std::uint8_t kAllMemory = 0x80;
static_assert(sizeof(Dependence) == 24);

/// kmp_taskred_input_t.
struct Reduced {
  void* shared;
  void* original;
  std::size_t bytes;
  void (*init)(void* copy, void* original);
  void (*end)(void* copy);
  void (*combine)(void* into, void* copy);
  std::uint32_t flags;
};
static_assert(sizeof(Reduced) == 56);

/// The thread's number among all of the program, which compilers hand on.
inline std::int32_t number_of(Thread& self) noexcept;
std::int32_t give_number(Thread& self) noexcept;
inline std::int32_t number_of(Thread& self) noexcept {
  return self.said.number >= 0 ? self.said.number : give_number(self);
}

/// The end of the innermost group: all its tasks are done, and what they have reduced is put together.
void finish_group(Thread& self, const void* site) noexcept;

}  // namespace weft::omp::llvm
