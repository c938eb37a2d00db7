// Numbers of PEs as runs, where they go from one process to another: blocks, and PEs dealt in turn, are one each.
#pragma once

#include <cstdint>

namespace weft::boot {

/// PEs at one distance from another, ascending.
struct Run {
  std::int32_t first = 0;
  std::int32_t step = 1;
  std::int32_t count = 0;

  bool operator==(const Run& other) const noexcept = default;
  /// Of a run that somebody else has made: it has PEs, ascends, and all of them are below `n_pes`.
  bool is_within(std::int32_t n_pes) const noexcept;
};

/// So many ascending numbers as runs, of which there are no more than numbers. How many.
int make_runs(const std::int32_t* pes, int n, Run* runs) noexcept;

}  // namespace weft::boot
