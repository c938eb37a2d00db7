// Which PEs: an arithmetic progression, as all teams and active sets are.
#pragma once

namespace weft::group {

/// Member k is PE start + k * stride of the job.
struct Members {
  int start = 0;
  int stride = 1;
  int size = 0;

  int pe(int member) const noexcept { return start + member * stride; }
  /// Number of a PE of the job among the members; -1 when it is none.
  int find(int pe) const noexcept;
  /// Every step-th of these members from `first` on. The members asked for exist.
  Members part(int first, int step, int count) const noexcept {
    // One member needs no stride, and the one given may be anything.
    return {pe(first), count == 1 ? 1 : step * stride, count};
  }
  bool operator==(const Members&) const = default;
};

}  // namespace weft::group
