#include "shmem/signals.hpp"

#include <atomic>

#include "base/lines.hpp"
#include "shmem.h"
#include "shmem/atomics.hpp"
#include "shmem/transfer.hpp"

namespace weft::shmem::checked {
namespace {

transport::Atomic atomic_of(std::uint64_t value, int operation) noexcept {
  if (operation != SHMEM_SIGNAL_SET && operation != SHMEM_SIGNAL_ADD) {
    base::fail(job::current_call(), "sig_op is %d; it must be SHMEM_SIGNAL_SET or SHMEM_SIGNAL_ADD", operation);
  }
  return {operation == SHMEM_SIGNAL_SET ? transport::Op::kSet : transport::Op::kAdd, transport::Type::k64, value};
}

}  // namespace

void raise_signal(std::uint64_t* signal, std::uint64_t value, int operation, rma::Target target) noexcept {
  const transport::Atomic what = atomic_of(value, operation);
  std::uint64_t* word = atomic_at(signal, target, "sig_addr");
  if (word == nullptr) {
    // Release, for a target on this node whose atomic operations go through the network: the data first.
    std::atomic_thread_fence(std::memory_order_release);
    job::node().network->atomic(rma::remote(signal, target.pe), what, nullptr, *target.pending);
    return;
  }
  rma::signal(word, value, what.op, target.pe);
}

void put_signal(void* dest, const void* source, std::size_t bytes, bool reusable, std::uint64_t* signal,
                std::uint64_t value, int operation, rma::Target target) noexcept {
  need_ready();
  need_pe(target.pe);
  if (bytes == 0 || job::node().here(target.pe) >= 0) {
    put(dest, source, bytes, target);
    raise_signal(signal, value, operation, target);
    return;
  }
  const transport::Atomic what = atomic_of(value, operation);
  need_buffer(source, bytes, "source");
  (void)peer(dest, bytes, target.pe, "dest");
  (void)atomic_at(signal, target, "sig_addr");
  job::node().network->put_then(rma::remote(dest, target.pe), source, bytes, reusable, rma::remote(signal, target.pe),
                                what, *target.pending);
}

}  // namespace weft::shmem::checked
