#include "launch/processes/openmp.hpp"

#include <unistd.h>

#include <string>
#include <string_view>

#include "helper/helper.hpp"
#include "launch/processes/variables.hpp"

namespace weft::launch::processes {
namespace {

constexpr std::string_view kOption = "WEFT_OPENMP";
constexpr std::string_view kImage = "libweft_image.so";

}  // namespace

void provide_openmp(ProgramPart& part, const std::optional<command::Needs>& needs, int processes) {
  if (processes < 2 || !needs || value_of(part, kOption) == "apart") return;
  const command::OpenMpNeeds is = command::find_openmp(*needs);
  if (is.runtime.empty() || !is.apart.empty()) return;
  const std::string libraries = helper::beside_us(WEFT_LIBRARIES);
  const std::string image = libraries + "/" + std::string(kImage);
  const std::string folder = helper::beside_us(WEFT_OPENMP_LIBRARIES);
  // A Weft without OpenMP: the processes are programs of their own.
  if (::access(image.c_str(), R_OK) != 0 || ::access((folder + "/libgomp.so.1").c_str(), R_OK) != 0) return;
  // LD_PRELOAD ends a path at a blank, LD_LIBRARY_PATH does not.
  if (libraries.find(' ') != std::string::npos) {
    put_first(part, "LD_PRELOAD", std::string(kImage));
    put_first(part, "LD_LIBRARY_PATH", libraries);
  } else {
    put_first(part, "LD_PRELOAD", image);
  }
  put_first(part, "LD_LIBRARY_PATH", folder);
}

}  // namespace weft::launch::processes
