#include "launch/processes/openmp.hpp"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <string>
#include <string_view>

#include "helper/helper.hpp"
#include "launch/processes/variables.hpp"

namespace weft::launch::processes {
namespace {

constexpr std::array<std::string_view, 3> kOpenMp = {"libgomp.so.1", "libomp.so.5", "libweft_omp.so.0"};
// With these a process of the job is a program, and its regions are its own threads'.
constexpr std::array<std::string_view, 3> kOthers = {command::kMpiLibrary, "libweft.so.0", "libweft_shared.so.0"};

// Sanitizers have to be the first of all libraries, with a malloc of their own.
constexpr std::array<std::string_view, 6> kSanitizers = {"libasan.so", "libtsan.so",  "libmsan.so",
                                                         "liblsan.so", "libubsan.so", "libclang_rt."};

constexpr std::string_view kOption = "WEFT_OPENMP";
constexpr std::string_view kImage = "libweft_image.so";

bool has_a_sanitizer(const command::Needs& needs) {
  return std::any_of(needs.libraries.begin(), needs.libraries.end(), [](const std::string& library) {
    return std::any_of(kSanitizers.begin(), kSanitizers.end(),
                       [&](std::string_view name) { return library.starts_with(name); });
  });
}

template <std::size_t size>
bool needs_one_of(const command::Needs& needs, const std::array<std::string_view, size>& names) {
  return std::any_of(needs.libraries.begin(), needs.libraries.end(), [&](const std::string& library) {
    return std::find(names.begin(), names.end(), library) != names.end();
  });
}

}  // namespace

void provide_openmp(ProgramPart& part, const std::optional<command::Needs>& needs, int processes) {
  if (processes < 2 || !needs || !needs_one_of(*needs, kOpenMp) || value_of(part, kOption) == "apart") return;
  if (needs_one_of(*needs, kOthers) || has_a_sanitizer(*needs)) return;
  const bool is_older_mpi = std::any_of(needs->libraries.begin(), needs->libraries.end(),
                                        [](const std::string& library) { return command::is_older_mpi(library); });
  const std::string libraries = helper::beside_us(WEFT_LIBRARIES);
  const std::string image = libraries + "/" + std::string(kImage);
  const std::string folder = helper::beside_us(WEFT_OPENMP_LIBRARIES);
  // A Weft without OpenMP: the processes are programs of their own.
  if (is_older_mpi || ::access(image.c_str(), R_OK) != 0 || ::access((folder + "/libgomp.so.1").c_str(), R_OK) != 0) {
    return;
  }
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
