// What is linked into a program, as far as the names in its file tell.
#pragma once

#include <string>

namespace weft::launch::command {

/// Whether an OpenMP library is part of the program, and neither MPI nor OpenSHMEM is. A program without its table of
/// symbols (strip) does not tell. Any bytes may be in the file.
bool has_openmp_inside(const std::string& path);

}  // namespace weft::launch::command
