// Processes of a job that are one program: its begin, what process 0 has the others do, its end.
#pragma once

#include "base/result.hpp"
#include "omp/program/table.hpp"

namespace weft::omp::program {

/// Before the program's constructors, in all processes: comes to the job. False: this process is a program of its own.
bool come(char** argv) noexcept;
/// Then: memory is there, and the program's data is shared. Ends the program with a line where that cannot be.
void begin() noexcept;

/// It has, and several processes are one program.
bool has_begun() noexcept;
/// And this process has left them.
bool has_left() noexcept;

/// In the others: does what process 0 wants, until the program ends. The status.
int serve() noexcept;
/// When a process exits: in process 0 it ends the others, with the same status.
void end_at_exit(int status, void* unused);

}  // namespace weft::omp::program
