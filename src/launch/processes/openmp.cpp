#include "launch/processes/openmp.hpp"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <optional>
#include <string>
#include <string_view>

#include "helper/helper.hpp"
#include "launch/command/needs.hpp"

namespace weft::launch::processes {
namespace {

constexpr std::array<std::string_view, 4> kOpenMp = {"libgomp.so.1", "libweft_omp.so.0", "libomp.so.5", "libomp.so"};
// With these a process of the job is a program, and its regions are its own threads'.
constexpr std::array<std::string_view, 3> kOthers = {command::kMpiLibrary, "libweft.so.0", "libweft_shared.so.0"};

template <std::size_t size>
bool needs_one_of(const command::Needs& needs, const std::array<std::string_view, size>& names) {
  return std::any_of(needs.libraries.begin(), needs.libraries.end(), [&](const std::string& library) {
    return std::find(names.begin(), names.end(), library) != names.end();
  });
}

// Before what the part has of its own there, or what we have.
void put_first(ProgramPart& part, std::string_view variable, const std::string& value) {
  const std::string name = std::string(variable) + "=";
  const char* ours = std::getenv(std::string(variable).c_str());
  std::string before = ours != nullptr ? ours : "";
  for (const std::string& assignment : part.environment) {
    if (assignment.starts_with(name)) before = assignment.substr(name.size());
  }
  std::erase_if(part.environment, [&](const std::string& assignment) { return assignment.starts_with(name); });
  part.environment.push_back(name + value + (before.empty() ? "" : ":" + before));
}

}  // namespace

void provide_openmp(ProgramPart& part, int processes) {
  if (processes < 2) return;
  const std::optional<command::Needs> needs = command::read_needs(part.path);
  if (!needs || !needs_one_of(*needs, kOpenMp) || needs_one_of(*needs, kOthers)) return;
  const bool is_older_mpi = std::any_of(needs->libraries.begin(), needs->libraries.end(),
                                        [](const std::string& library) { return command::is_older_mpi(library); });
  const std::string image = helper::beside_us(WEFT_LIBRARIES) + "/libweft_image.so";
  const std::string folder = helper::beside_us(WEFT_OPENMP_LIBRARIES);
  // A Weft without OpenMP: the processes are programs of their own.
  if (is_older_mpi || ::access(image.c_str(), R_OK) != 0 || ::access((folder + "/libgomp.so.1").c_str(), R_OK) != 0) {
    return;
  }
  put_first(part, "LD_PRELOAD", image);
  put_first(part, "LD_LIBRARY_PATH", folder);
}

}  // namespace weft::launch::processes
