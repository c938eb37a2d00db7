#include "rma/wait.hpp"

#include <sched.h>

#include "base/report.hpp"

namespace weft::rma {

void no_such_comparison(int cmp) noexcept {
  base::fail(current_call(), "cmp is %d, which is none of the SHMEM_CMP_ constants", cmp);
}

void after_failed_test() noexcept {
  (void)sync::detail::work_is_left(node().patience);
  sync::detail::poll(node().patience);
  if (node().crowded || node().network != nullptr) {  // the network's events wake a thread that may need this processor
    ::sched_yield();
  }
}

// A counter would do for one array, but a program that looks at two in turn would see only every second start of
// each. So a small random sequence (xorshift) per thread.
std::size_t scan_start(std::size_t n) noexcept {
  static constinit thread_local std::uint32_t state = 2463534242U;
  if (n < 2) {
    return 0;
  }
  state ^= state << 13;
  state ^= state >> 17;
  state ^= state << 5;
  return state % n;
}

}  // namespace weft::rma
