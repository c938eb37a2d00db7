#include "rma/order.hpp"

#include <atomic>

namespace weft::rma {

namespace {

// What reaches a PE goes one way, which keeps its order: stores of this processor on the node, one connection
// elsewhere. Only where atomic operations go by the network on the node too there are two ways to one PE. By itself, so
// that a job of one node does not save the registers that calls of the network take.
[[gnu::noinline]] void order_network(const transport::Pending& pending) noexcept {
  const job::Node& here = job::node();
  if (!here.network->keeps_order() || here.amo_by_network) {
    complete(pending);
  } else {
    here.network->fenced();
  }
}

}  // namespace

// Puts on the node are stores of this processor, so ordering them is ordering stores: a release fence (no instruction
// on x86). A network that keeps the order of what was begun, by this thread and by those whose calls have returned
// before, needs nothing, as only operations with the same PE have an order. On others the earlier ones have to be
// complete. Sleepers are woken without a further fence: a wake-up missed here comes with the sleeper's next nap.
void fence(const transport::Pending& pending) noexcept {
  if (job::node().network != nullptr) {
    order_network(pending);
  }
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
