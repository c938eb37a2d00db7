// Start and stop of the job for a process that is in it: from memory that is only reserved to peers that can be
// reached.
#pragma once

#include "base/options.hpp"
#include "base/result.hpp"
#include "transport/transport.hpp"

namespace weft::job {

/// Told what network there is, null in a job of one node, before anybody can reach this PE's memory by it.
using Opening = void (*)(transport::Transport* network) noexcept;
/// Told before the network goes, when all have met for the last time.
using Closing = void (*)() noexcept;

/// Joins the job where that is not done yet, maps the symmetric heap and the peers, and opens the network. Counted: of
/// several front ends in a process the first one starts the job, and the last one that stops it ends it. On failure
/// nothing is started, and the program may try again. Not before all PEs have returned from it and met may any use
/// another one's memory.
base::Result<void> start(const base::Options& options, Opening opening) noexcept;
void stop(Closing closing) noexcept;

/// How far this PE has come, as who watches it sees.
void mark(boot::Phase phase) noexcept;

}  // namespace weft::job
