#include "rma/order.hpp"

#include <atomic>

#include "rma/atomics.hpp"
#include "shmem.h"

namespace weft::rma {

// Puts are stores of this processor, so ordering them is ordering stores: a release fence (no instruction on x86).
// Sleepers are woken without a further fence: a wake-up missed here comes with the sleeper's next nap.
void fence() noexcept {
  need_ready();
  std::atomic_thread_fence(std::memory_order_release);
  wake_sleepers();
}

// A full fence: a load after quiet, of any PE's memory, must not overtake the stores before it.
void quiet() noexcept {
  need_ready();
  std::atomic_thread_fence(std::memory_order_seq_cst);
  wake_sleepers();
}

void raise_signal(std::uint64_t* signal, std::uint64_t value, int operation, int pe) noexcept {
  std::uint64_t* word = atomic_at(signal, pe, "sig_addr");
  // Release: the data first. seq_cst, so that it is also the fence ring() asks for.
  if (operation == SHMEM_SIGNAL_SET) {
    __atomic_exchange_n(word, value, __ATOMIC_SEQ_CST);
  } else if (operation == SHMEM_SIGNAL_ADD) {
    __atomic_fetch_add(word, value, __ATOMIC_SEQ_CST);
  } else {
    base::fail(current_call(), "sig_op is %d; it must be SHMEM_SIGNAL_SET or SHMEM_SIGNAL_ADD", operation);
  }
  sync::ring(node().value_bell(pe));
}

}  // namespace weft::rma
