#include "modules.hpp"

#include <dlfcn.h>
#include <unistd.h>

#include <climits>

#include "build.hpp"

namespace weft::info {

Module load_module(const char* name) {
  char self[PATH_MAX] = {};
  if (::readlink("/proc/self/exe", self, sizeof self - 1) < 0) {
    return {nullptr, "cannot find out where weft-info lies: no /proc"};
  }
  const std::string path = self;
  const std::string prefix = path.substr(0, path.find_last_of('/')) + "/";
  Module module;
  for (const char* to_libraries : {"../lib", WEFT_INFO_TO_LIBRARIES}) {
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
