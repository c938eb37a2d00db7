// Programs of MPI among those of a job: which library of MPI they get.
#pragma once

#include <optional>
#include <string>

#include "base/result.hpp"
#include "launch/command/needs.hpp"
#include "launch/processes/starter.hpp"

namespace weft::launch::processes {

/// Gives a program that needs MPI's standard library ours, before any other: by LD_LIBRARY_PATH, which the others'
/// environment goes on without. `needs` is what the program's file says. The result is what is to be said of it, empty:
/// nothing. `ranks` is how many mpiexec was asked for in all, 0 where oshrun was: an error when it is to start a
/// program of another MPI on several, each of which would be a job of its own.
base::Result<std::string> provide_mpi(ProgramPart& part, const std::optional<command::Needs>& needs, int ranks);

}  // namespace weft::launch::processes
