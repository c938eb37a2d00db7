// The calls that a thread of another process is in.
#pragma once

#include <string>
#include <vector>

#include "session.hpp"

namespace weft::where {

/// Innermost first. A thread that is in a signal handler is shown as it was when the signal came: the handler is ours.
/// `with_weft`: also those calls at its inner end that are Weft's own.
base::Result<std::vector<std::string>> stack_of(const Session& session, pid_t pid, pid_t thread, bool with_weft);

}  // namespace weft::where
