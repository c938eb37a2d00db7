// The way to PEs on other nodes, in a job that has several.
#pragma once

#include "base/options.hpp"
#include "base/result.hpp"
#include "rma/node.hpp"
#include "transport/transport.hpp"

namespace weft::rma {

/// Of the default context.
extern constinit transport::Pending g_pending;

/// Whom an operation is for, and what counts it while it is under way.
struct Target {
  int pe;
  transport::Pending* pending = &g_pending;
  // Of a context of SHMEM_TEAM_SHARED, whose atomic operations are the processor's even where others' are not.
  bool by_processor = false;
};

/// shmem_init: lets the others reach this PE's window, learns how they are reached, and lets the network go on from now
/// on whatever this PE does. Nothing in a job of one node. `exchange` is boot::exchange_cards, or what does the same
/// where not oshrun has started the job.
using ExchangeCards = base::Result<void> (*)(boot::JobHeader* job, int pe, const boot::PeerCard& mine) noexcept;
base::Result<void> open_network(const base::Options& options, ExchangeCards exchange) noexcept;
/// The last shmem_finalize, after all have met.
void close_network() noexcept;

/// The place that a symmetric address means in the memory of a PE.
transport::Remote remote(const void* address, int pe) noexcept;

/// Until all that was begun there before is complete, whatever other threads begin meanwhile.
void wait_for_network(const transport::Pending& pending) noexcept;
inline void complete(const transport::Pending& pending) noexcept {
  if (node().network != nullptr && !pending.done()) {
    wait_for_network(pending);
  }
}

}  // namespace weft::rma
