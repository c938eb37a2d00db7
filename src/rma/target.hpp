// Whom an operation is for, where it goes, and how it is waited for.
#pragma once

#include "job/node.hpp"
#include "transport/transport.hpp"

namespace weft::rma {

/// What counts the operations of a PE that belong to nothing smaller.
extern constinit transport::Pending g_pending;

/// Whom an operation is for, and what counts it while it is under way.
struct Target {
  int pe;
  transport::Pending* pending = &g_pending;
  // Its atomic operations are the processor's even where others' are not.
  bool by_processor = false;
};

/// The place that a symmetric address means in the memory of a PE.
transport::Remote remote(const void* address, int pe) noexcept;
transport::Remote in_heap(std::uint64_t offset, int pe) noexcept;

/// Until all that was begun there before is complete, whatever other threads begin meanwhile.
void wait_for_network(const transport::Pending& pending) noexcept;
inline void complete(const transport::Pending& pending) noexcept {
  if (job::node().network != nullptr && !pending.done()) {
    wait_for_network(pending);
  }
}

}  // namespace weft::rma
