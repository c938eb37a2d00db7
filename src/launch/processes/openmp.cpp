#include "launch/processes/openmp.hpp"

#include <unistd.h>

#include <string>
#include <string_view>

#include "helper/helper.hpp"
#include "launch/command/inside.hpp"
#include "launch/processes/variables.hpp"

namespace weft::launch::processes {
namespace {

constexpr std::string_view kOption = "WEFT_OPENMP";
constexpr std::string_view kImage = "libweft_image.so";

}  // namespace

base::Result<void> provide_openmp(ProgramPart& part, const std::optional<command::Needs>& needs, int processes) {
  if (processes < 2 || value_of(part, kOption) == "apart") return {};
  const command::OpenMpNeeds is = needs ? command::find_openmp(*needs) : command::OpenMpNeeds{};
  if (!is.apart.empty()) return {};
  const std::string libraries = helper::beside_us(WEFT_LIBRARIES);
  const std::string image = libraries + "/" + std::string(kImage);
  const std::string folder = helper::beside_us(WEFT_OPENMP_LIBRARIES);
  // A Weft without OpenMP: the processes are programs of their own.
  if (::access(image.c_str(), R_OK) != 0 || ::access((folder + "/libgomp.so.1").c_str(), R_OK) != 0) return {};
  if (is.runtime.empty()) {
    // A library of the user's may be what makes it a program of MPI or OpenSHMEM.
    const bool may_be =
        needs && !command::find_libraries(part.path, needs, value_of(part, "LD_LIBRARY_PATH").c_str()).empty();
    if (part.n_pes < 2 || may_be || !command::has_openmp_inside(part.path)) return {};
    return base::Error::make(
        "%s: an OpenMP library is linked into it, which knows of one process; link it with the shared library (without "
        "-static, libgomp.a), or set WEFT_OPENMP=apart for %d programs of their own",
        part.path.c_str(), part.n_pes);
  }
  // LD_PRELOAD ends a path at a blank, LD_LIBRARY_PATH does not.
  if (libraries.find(' ') != std::string::npos) {
    put_first(part, "LD_PRELOAD", std::string(kImage));
    put_first(part, "LD_LIBRARY_PATH", libraries);
  } else {
    put_first(part, "LD_PRELOAD", image);
  }
  put_first(part, "LD_LIBRARY_PATH", folder);
  // Else each process would find out and start anew, when all its libraries are loaded.
  part.same_addresses = true;
  return {};
}

}  // namespace weft::launch::processes
