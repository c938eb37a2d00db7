// PEs that serve others instead of running main, where their front end wants some (FrontEnd::serves). Only oshrun's PEs
// can: others learn of their job when main has begun.
#pragma once

#include "base/result.hpp"
#include "job/front_end.hpp"

namespace weft::job {

/// Before main, when the job is known. Does not return in a PE that serves: the process ends with 0 after its front
/// end's serve(), and with neither main nor constructors of libraries that come later, other front ends among them.
void serve_if_asked(const FrontEnd& front_end) noexcept;

/// In a PE that would have to serve and runs main: why it cannot.
base::Result<void> must_not_serve(const FrontEnd& front_end) noexcept;

/// This PE serves.
bool serves() noexcept;

/// For serve(), after start(): until this PE is told to leave. Meanwhile it does for others what any PE does that
/// waits.
void wait_until_dismissed() noexcept;

/// Tells a PE that serves to leave; also one of another node, where this front end has started with a network.
void dismiss(int pe) noexcept;

/// Before others can reach this PE by the network.
void expect_dismissal() noexcept;

}  // namespace weft::job
