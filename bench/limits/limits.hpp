// What the machine can do, with no library in between: the limits that bench/first.py holds Weft against.
#pragma once

#include <atomic>
#include <cstddef>
#include <vector>

#include "measure.h"

namespace weft::bench {

inline constexpr std::size_t kRegionBytes = LARGEST_BLOCK;

/// What the processes of a measurement share. Words that different processes write lie on lines of their own.
struct Control {
  alignas(128) std::atomic<long> flag[2];  // not used together
  alignas(128) std::atomic<long> from_first;
  alignas(128) std::atomic<long> from_second;
  alignas(128) std::atomic<long> arrived;
  alignas(128) std::atomic<long> episode;
  alignas(128) std::atomic<long> count;
};

/// A memory file with one region for each process, mapped shared by each, the way Weft's windows are.
struct Regions {
  int file = -1;
  Control* control = nullptr;
};
Regions make_regions(int processes);
/// The first bytes of one process's region, mapped and touched by the caller.
char* map_region(const Regions& regions, int owner, std::size_t bytes);

/// Gives back what make_regions() made; what was mapped beside goes with the process, or is little.
void release_regions(const Regions& regions);

/// Times of one operation, one for each repetition.
using Times = std::vector<double>;

/// The row of times with the smaller median: where there are two ways, the limit is the better one.
const Times& faster(const Times& one, const Times& other);

/// Between two looks at a word that another process will write. Which is faster, PAUSE or nothing, differs by machine.
template <bool pauses>
void relax() {
#if defined(__x86_64__)
  if constexpr (pauses) __builtin_ia32_pause();
#elif defined(__aarch64__)
  if constexpr (pauses) __asm__ __volatile__("yield");
#endif
}

enum class Kind : unsigned char { kSmall, kBlocks, kAtomics };
void measure_access(const plan& plan, Kind kind);
void measure_collectives(const plan& plan);
void measure_ping_pong(const plan& plan);
void measure_barrier(const plan& plan, int processes);
/// Whole jobs: `processes` times /bin/true, and `oshrun -n processes program`, in turn.
void measure_start(const plan& plan, int processes, const char* oshrun, const char* program);

/// Runs body(rank) in processes 0 (the caller) to n - 1, each pinned; ends when all have ended.
void run_processes(int n, void (*body)(int rank, void* argument), void* argument);

}  // namespace weft::bench
