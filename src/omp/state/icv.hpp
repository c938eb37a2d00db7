// The internal control variables of OpenMP: those that each task has a copy of, and those of the whole program.
#pragma once

#include <cstddef>
#include <cstdint>

namespace weft::omp {

inline constexpr unsigned kMostLevels = 255;
inline constexpr unsigned kNoLimit = ~0U;

/// omp_sched_t.
inline constexpr unsigned kStatic = 1;
inline constexpr unsigned kDynamic = 2;
inline constexpr unsigned kGuided = 3;
inline constexpr unsigned kAuto = 4;
/// None that programs can ask for: an iteration goes to a thread of the process at which its data is at home.
inline constexpr unsigned kByHomes = 0x100;
inline constexpr unsigned kMonotonic = 0x80000000U;

/// omp_proc_bind_t.
inline constexpr unsigned kBindFalse = 0;
inline constexpr unsigned kBindTrue = 1;
inline constexpr unsigned kBindPrimary = 2;
inline constexpr unsigned kBindClose = 3;
inline constexpr unsigned kBindSpread = 4;

struct Icv {
  unsigned long threads = 1;
  std::uintptr_t allocator = 1;
  unsigned thread_limit = kNoLimit;
  unsigned schedule = kDynamic;
  int chunk = 1;
  int default_device = 0;
  std::uint8_t dynamic = 0;
  std::uint8_t bind = kBindFalse;
  std::uint8_t active_levels = 1;
};

/// What is set once, from the environment, or by a routine for the whole program.
struct Settings {
  Icv icv;                                     // what the initial task begins with
  const unsigned long* thread_list = nullptr;  // of OMP_NUM_THREADS with several levels
  unsigned thread_list_length = 0;
  const unsigned char* bind_list = nullptr;
  unsigned bind_list_length = 0;
  int processors = 1;
  std::size_t stack_bytes = 0;  // of threads; 0: as the C library has it
  bool cancellation = false;
  int max_task_priority = 0;
  unsigned num_teams = 0;
  unsigned teams_thread_limit = 0;
  bool display_affinity = false;
  bool debug = false;
  unsigned target_offload = 0;  // default, mandatory, disabled
  int wait_policy = -1;
  long long spin_count = -1;
  int blocktime = -1;     // of KMP_BLOCKTIME, in milliseconds; less than 0: it says nothing
  bool is_llvms = false;  // the program asks for LLVM's library, whose manners differ in places
};
extern Settings g_settings;

}  // namespace weft::omp
