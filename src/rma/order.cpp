#include "rma/order.hpp"

#include <atomic>

namespace weft::rma {

// Puts on the node are stores of this processor, so ordering them is ordering stores: a release fence (no instruction
// on x86). Networks promise no order between a put and an atomic operation, so there the earlier ones have to be
// complete. Sleepers are woken without a further fence: a wake-up missed here comes with the sleeper's next nap.
void fence(const transport::Pending& pending) noexcept {
  complete(pending);
  std::atomic_thread_fence(std::memory_order_release);
  job::wake_sleepers();
}

// A full fence: a load after quiet, of any PE's memory, must not overtake the stores before it.
void quiet(const transport::Pending& pending) noexcept {
  complete(pending);
  std::atomic_thread_fence(std::memory_order_seq_cst);
  job::wake_sleepers();
}

}  // namespace weft::rma
