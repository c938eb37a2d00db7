// oshrun --status: what the PEs of a job do that another oshrun runs.
#pragma once

#include <string>

namespace weft::launch {

/// Prints it. The result is our exit code.
int print_status(const std::string& job);

}  // namespace weft::launch
