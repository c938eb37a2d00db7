#include "launch/processes/mpi.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <string_view>

#include "helper/helper.hpp"
#include "launch/processes/variables.hpp"

namespace weft::launch::processes {
namespace {

constexpr std::string_view kVariable = "LD_LIBRARY_PATH";

bool is_same_file(const std::string& a, const std::string& b) {
  struct stat one {};
  struct stat other {};
  return ::stat(a.c_str(), &one) == 0 && ::stat(b.c_str(), &other) == 0 && one.st_dev == other.st_dev &&
         one.st_ino == other.st_ino;
}

}  // namespace

base::Result<std::string> provide_mpi(ProgramPart& part, const std::optional<command::Needs>& needs, int ranks) {
  const std::string path = value_of(part, kVariable);
  const command::MpiNeeds mpi = command::find_mpi(part.path, needs, path.c_str(), ranks > 0);
  if (ranks > 1 && !mpi.older.empty()) {
    const std::string by = mpi.through.empty() ? "it needs " : mpi.through + ", which it needs, needs ";
    return base::Error::make(
        "%.150s was built for another MPI (%.150s%.60s) and would be %d jobs of one PE here; build it with "
        "weft-mpicc, or start it with that MPI's own mpiexec",
        part.path.c_str(), by.c_str(), mpi.older.c_str(), ranks);
  }
  if (!mpi.standard) return std::string();
  const std::string folder = helper::beside_us(WEFT_MPI_LIBRARIES);
  const std::string library = folder + "/" + std::string(command::kMpiLibrary);
  if (::access(library.c_str(), R_OK) != 0) return std::string();  // a Weft without MPI
  put_first(part, kVariable, folder);
  if (mpi.elsewhere.empty() || is_same_file(mpi.elsewhere, library)) return std::string();
  return part.path + ": its RPATH names " + mpi.elsewhere +
         ", which wins over Weft's; link it with -Wl,--enable-new-dtags, or take the RPATH out (chrpath -d)";
}

}  // namespace weft::launch::processes
