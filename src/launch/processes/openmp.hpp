// Programs of OpenMP in several processes: what comes before the program so that they are one.
#pragma once

#include <optional>

#include "base/result.hpp"
#include "launch/command/needs.hpp"
#include "launch/processes/starter.hpp"

namespace weft::launch::processes {

/// Where the program is one of OpenMP, and of no interface whose processes are programs of their own: the library that
/// makes one program of its processes, and ours under the name of the compiler's. `needs` is what its file says. An
/// error: a library of OpenMP is part of it, so that each process would be a program of its own.
base::Result<void> provide_openmp(ProgramPart& part, const std::optional<command::Needs>& needs, int processes);

}  // namespace weft::launch::processes
