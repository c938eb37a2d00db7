#include "module/module.hpp"

#include <dlfcn.h>
#include <link.h>

#include <climits>
#include <cstdio>

#include "base/words.hpp"

namespace weft::module {
namespace {

bool path_beside_us(const char* library, char* path, std::size_t room) noexcept {
  Dl_info info{};
  link_map* self = nullptr;
  char folder[PATH_MAX];
  const auto* here = reinterpret_cast<const void*>(&path_beside_us);
  if (::dladdr1(here, &info, reinterpret_cast<void**>(&self), RTLD_DL_LINKMAP) == 0 ||
      ::dlinfo(self, RTLD_DI_ORIGIN, folder) != 0) {
    return false;
  }
  return std::snprintf(path, room, "%s/%s", folder, library) < static_cast<int>(room);
}

}  // namespace

base::Result<void*> function_of(const char* library, const char* function) noexcept {
  char path[PATH_MAX];
  if (!path_beside_us(library, path, sizeof path)) {
    return base::Error::make("cannot find out where %s lies", base::words().library);
  }
  void* loaded = ::dlopen(path, RTLD_NOW | RTLD_LOCAL);
  void* found = loaded == nullptr ? nullptr : ::dlsym(loaded, function);
  if (found == nullptr) {
    return base::Error::make("cannot load it: %s", ::dlerror());
  }
  if (void* told = ::dlsym(loaded, kNoMemoryFunction); told != nullptr) {
    reinterpret_cast<NoMemoryFunction>(told)(base::no_memory);
  }
  return found;
}

}  // namespace weft::module
