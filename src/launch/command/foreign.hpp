// What hands type that are used to another launcher: mpirun of Open MPI, mpiexec of MPICH (Hydra), srun.
#pragma once

#include <string_view>

namespace weft::launch::command {

/// A word of theirs. Either it is an option of ours by another name, or it asks for what is so here anyway, or a
/// sentence says what to write instead.
struct Foreign {
  std::string_view name;
  std::string_view ours = {};  // the name of our option
  std::string_view note = {};  // what to say; empty, where there is no such option either: it is so here anyway
  bool is_pair = false;        // two words follow: a variable's name and its value
};

/// The word of this name, with one dash or two where it has several letters; nullptr when nobody's launcher has it.
const Foreign* find_foreign(std::string_view name);

}  // namespace weft::launch::command
