#include "modules.hpp"

#include <dlfcn.h>
#include <unistd.h>

#include <climits>
#include <cstdlib>

#include "build.hpp"

namespace weft::info {

namespace {

// The folder of weft-info, with a slash; empty where there is no /proc.
std::string own_folder() {
  char self[PATH_MAX] = {};
  if (::readlink("/proc/self/exe", self, sizeof self - 1) < 0) return "";
  const std::string path = self;
  return path.substr(0, path.find_last_of('/')) + "/";
}

constexpr const char* kToLibraries[] = {"../lib", WEFT_INFO_TO_LIBRARIES};  // of the build, of an installation

}  // namespace

std::string find_beside_library(const char* name) {
  const std::string folder = own_folder();
  for (const char* to_libraries : kToLibraries) {
    char whole[PATH_MAX] = {};
    if (!folder.empty() && ::realpath((folder + to_libraries + "/" + name).c_str(), whole) != nullptr) return whole;
  }
  return "";
}

Module load_module(const char* name) {
  const std::string prefix = own_folder();
  if (prefix.empty()) return {nullptr, "cannot find out where weft-info lies: no /proc"};
  Module module;
  for (const char* to_libraries : kToLibraries) {
    const std::string file = prefix + to_libraries + "/" + name;
    if (::access(file.c_str(), F_OK) != 0) continue;
    module.library = ::dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (module.library != nullptr) return {module.library, ""};
    module.why = ::dlerror();
  }
  if (module.why.empty()) module.why = std::string(name) + " does not lie beside libweft.so; install Weft anew";
  return module;
}

}  // namespace weft::info
