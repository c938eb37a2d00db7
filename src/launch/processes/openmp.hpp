// Programs of OpenMP in several processes: what comes before the program so that they are one.
#pragma once

#include "launch/processes/starter.hpp"

namespace weft::launch::processes {

/// Where the program is one of OpenMP, and of no interface whose processes are programs of their own: the library that
/// makes one program of its processes, and ours under the name of the compiler's.
void provide_openmp(ProgramPart& part, int processes);

}  // namespace weft::launch::processes
