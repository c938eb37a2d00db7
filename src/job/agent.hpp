// Who serves others while this PE computes: one thread, whoever needs it. A job of one node has none unless a front end
// asks for it (Needs::agent).
#pragma once

#include "base/result.hpp"
#include "progress/progress.hpp"

namespace weft::job {

/// Counted over front ends, and called by start() and stop() of the job only.
base::Result<void> need_agent() noexcept;
void release_agent() noexcept;

/// From now on the thread serves the network, or, null, none. It is there while there is a network or somebody needs
/// it.
base::Result<void> serve(transport::Transport* network) noexcept;
/// Until serve() is called again nobody does.
void serve_nobody() noexcept;

progress::Progress& agent() noexcept;

/// Has the agent of a PE of this node call its pollers, if it sleeps; a PE that waits does so by itself. The caller has
/// made what they are to find visible by a full fence, and is in no handler of a message.
void wake_agent(int number_here) noexcept;

}  // namespace weft::job
