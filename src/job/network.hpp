// The network between the nodes of a job that has several: when it is opened, and what this PE does about it.
#pragma once

#include "base/options.hpp"
#include "base/result.hpp"
#include "job/node.hpp"

namespace weft::job {

/// Finds the network, and decides by it how atomic operations go (Node::amo_by_network). Null in a job of one node.
base::Result<transport::Transport*> find_network(const base::Options& options) noexcept;

/// Lets the others reach this PE's memory, learns how they are reached, and lets the network go on from now on whatever
/// this PE does. `exchange` is boot::exchange_cards, or what does the same where not oshrun has started the job.
using ExchangeCards = base::Result<void> (*)(boot::JobHeader* job, int pe, const boot::PeerCard& mine) noexcept;
base::Result<void> open_network(const base::Options& options, ExchangeCards exchange) noexcept;

/// After all have met for the last time: first nobody serves others any more, then `last` runs, while this PE can still
/// use the network; may be null. Then it is closed, or, where other front ends go on, served again.
void leave_network(void (*last)() noexcept, bool close) noexcept;

}  // namespace weft::job
