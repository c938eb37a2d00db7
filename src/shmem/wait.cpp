#include "shmem/wait.hpp"

#include <sched.h>
#include <time.h>

#include <algorithm>

#include "base/lines.hpp"
#include "os/clock.hpp"

namespace weft::shmem::checked {
namespace {

// A loop of tests that fail is a wait as well, and with more PEs than processors yields alone would not do for it: they
// go on for as long as it lasts. Linux 6.18 then lets processes of other sessions, and the kernel's own, starve for
// seconds where two nodes of a machine do so; with naps they are not late.
class TestLoop {
 public:
  void pass() noexcept {
    constexpr std::uint64_t kOtherWorkNs = 100'000;  // between two tests: they are not all that the program does
    constexpr std::uint64_t kShortestNapNs = 50'000;
    constexpr std::uint64_t kLongestNapNs = 250'000;
    const std::uint64_t now = os::now_ns();
    if (now - last_ > kOtherWorkNs) {
      since_ = now;
    }
    // Half as long as one wait yields: such a loop has no bell, and starts anew for each value.
    if (now - since_ < job::node().patience.sleep_after_ns / 2) {
      ::sched_yield();
    } else {
      const timespec nap{0, static_cast<long>(std::clamp((now - since_) / 16, kShortestNapNs, kLongestNapNs))};
      (void)::nanosleep(&nap, nullptr);
    }
    last_ = os::now_ns();
  }

 private:
  std::uint64_t since_ = 0;
  std::uint64_t last_ = 0;
};

}  // namespace

void no_such_comparison(int cmp) noexcept {
  base::fail(job::current_call(), "cmp is %d, which is none of the SHMEM_CMP_ constants", cmp);
}

void after_failed_test() noexcept {
  (void)sync::detail::work_is_left(job::node().patience);
  sync::detail::poll(job::node().patience);
  if (job::node().crowded) {
    static constinit thread_local TestLoop loop;
    loop.pass();
  } else if (job::node().network != nullptr) {
    ::sched_yield();  // the network's events wake a thread that may need this processor
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

}  // namespace weft::shmem::checked
