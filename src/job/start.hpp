// Start and stop of the job for a process that is in it: from memory that is only reserved to peers that can be
// reached.
#pragma once

#include "base/options.hpp"
#include "base/result.hpp"
#include "job/front_end.hpp"

namespace weft::job {

/// Joins the job where that is not done yet, and makes what the front end needs: maps the symmetric heap and the peers,
/// opens the network. Counted: front ends in a process share one job, whichever starts first, and what one needs that
/// is not there yet is added when it starts. On failure nothing is started for it, and the program may try again. Not
/// before all PEs have returned from it and met may any use another one's memory.
///
/// The network takes what it reaches when it opens, so in a job of several nodes the first start makes what any front
/// end needs that has told of itself by then; what comes later is refused.
base::Result<void> start(const FrontEnd& front_end, const base::Options& options) noexcept;

/// Not before all PEs have met for the last time. Memory goes with the last front end that needs it, the network and
/// the PE's part in the job with the last of all.
void stop(const FrontEnd& front_end) noexcept;

/// A thread serves others from now on while this PE computes (job/agent.hpp), for a room that finds out late that it
/// needs one; counted. Between the start and the stop of a front end.
base::Result<void> keep_agent() noexcept;
void let_agent_go() noexcept;

/// Some front end has started and not stopped.
bool running() noexcept;

/// How far this PE has come, as who watches it sees.
void mark(boot::Phase phase) noexcept;

}  // namespace weft::job
