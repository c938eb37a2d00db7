// The name under which the launcher was called: oshrun, or as users of MPI call it.
#pragma once

#include <string>
#include <string_view>

namespace weft::launch::command {

/// What the launcher is called, and with it the words that its users expect.
class Called {
 public:
  Called() = default;
  /// By the first word of a command line, which may be a path: "mpiexec" and "mpirun", also with something behind it
  /// ("mpiexec.weft"), are names for MPI; any other is oshrun.
  explicit Called(std::string_view word);

  const std::string& name() const { return name_; }
  bool for_mpi() const { return for_mpi_; }

  /// A line that is worded for oshrun, in the words of whoever called: oshrun by its name here, and where that is one
  /// for MPI, ranks in place of PEs. What is part of a path or of another name stays.
  std::string line(std::string_view text) const;

 private:
  std::string name_ = "oshrun";
  bool for_mpi_ = false;
};

}  // namespace weft::launch::command
