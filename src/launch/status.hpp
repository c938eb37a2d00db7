// oshrun --status: what the PEs of a job do that another oshrun runs.
#pragma once

#include <string>

#include "launch/command/called.hpp"

namespace weft::launch {

/// Prints it. The result is our exit code.
int print_status(const command::Called& called, const std::string& job);

}  // namespace weft::launch
