#include "rma/order.hpp"

#include <atomic>

#include "rma/atomics.hpp"
#include "rma/transfer.hpp"
#include "shmem.h"

namespace weft::rma {

namespace {

transport::Atomic atomic_of(std::uint64_t value, int operation) noexcept {
  if (operation != SHMEM_SIGNAL_SET && operation != SHMEM_SIGNAL_ADD) {
    base::fail(current_call(), "sig_op is %d; it must be SHMEM_SIGNAL_SET or SHMEM_SIGNAL_ADD", operation);
  }
  return {operation == SHMEM_SIGNAL_SET ? Op::kSet : Op::kAdd, transport::Type::k64, value};
}

}  // namespace

// Puts on the node are stores of this processor, so ordering them is ordering stores: a release fence (no instruction
// on x86). Networks promise no order between a put and an atomic operation, so there the earlier ones have to be
// complete. Sleepers are woken without a further fence: a wake-up missed here comes with the sleeper's next nap.
void fence(const transport::Pending& pending) noexcept {
  need_ready();
  complete(pending);
  std::atomic_thread_fence(std::memory_order_release);
  wake_sleepers();
}

// A full fence: a load after quiet, of any PE's memory, must not overtake the stores before it.
void quiet(const transport::Pending& pending) noexcept {
  need_ready();
  complete(pending);
  std::atomic_thread_fence(std::memory_order_seq_cst);
  wake_sleepers();
}

void raise_signal(std::uint64_t* signal, std::uint64_t value, int operation, Target target) noexcept {
  const transport::Atomic what = atomic_of(value, operation);
  std::uint64_t* word = atomic_at(signal, target, "sig_addr");
  if (word == nullptr) {
    // Release, for a target on this node whose atomic operations go through the network: the data first.
    std::atomic_thread_fence(std::memory_order_release);
    node().network->atomic(remote(signal, target.pe), what, nullptr, *target.pending);
    return;
  }
  // Release: the data first. seq_cst, so that it is also the fence ring() asks for.
  if (operation == SHMEM_SIGNAL_SET) {
    __atomic_exchange_n(word, value, __ATOMIC_SEQ_CST);
  } else {
    __atomic_fetch_add(word, value, __ATOMIC_SEQ_CST);
  }
  sync::ring(node().value_bell(node().here(target.pe)));
}

void put_signal(void* dest, const void* source, std::size_t bytes, bool reusable, std::uint64_t* signal,
                std::uint64_t value, int operation, Target target) noexcept {
  need_ready();
  need_pe(target.pe);
  if (bytes == 0 || node().here(target.pe) >= 0) {
    put(dest, source, bytes, target);
    raise_signal(signal, value, operation, target);
    return;
  }
  const transport::Atomic what = atomic_of(value, operation);
  need_buffer(source, bytes, "source");
  (void)peer(dest, bytes, target.pe, "dest");
  (void)atomic_at(signal, target, "sig_addr");
  node().network->put_then(remote(dest, target.pe), source, bytes, reusable, remote(signal, target.pe), what,
                           *target.pending);
}

}  // namespace weft::rma
