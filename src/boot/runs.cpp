#include "boot/runs.hpp"

namespace weft::boot {

bool Run::is_within(std::int32_t n_pes) const noexcept {
  return count > 0 && step > 0 && first >= 0 && first + std::int64_t{step} * (std::int64_t{count} - 1) < n_pes;
}

int make_runs(const std::int32_t* pes, int n, Run* runs) noexcept {
  int made = 0;
  for (int k = 0; k < n;) {
    Run& run = runs[made++];
    run = {pes[k], k + 1 < n ? pes[k + 1] - pes[k] : 1, 1};
    for (++k; k < n && pes[k] == pes[k - 1] + run.step; ++k) {
      ++run.count;
    }
  }
  return made;
}

}  // namespace weft::boot
