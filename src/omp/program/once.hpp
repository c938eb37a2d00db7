// Static variables of C++ functions, whose first value the first thread that comes there finds: once for all processes.
#pragma once

namespace weft::omp::program {

/// In process 0, by pages, before others run the program's code, which acquire then: what compilers test before they
/// call is set for the variables that this process knows to be made.
void open_guards() noexcept;

}  // namespace weft::omp::program
