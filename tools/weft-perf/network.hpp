// The network of this job, from inside it.
#pragma once

#include "transport/transport.hpp"

namespace weft::perf {

/// Null in a job of one node.
transport::Transport* network_in_use();

}  // namespace weft::perf
