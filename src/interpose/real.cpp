#include "interpose/real.hpp"

#include <dlfcn.h>
#include <link.h>
#include <unistd.h>

#include <climits>
#include <cstdio>
#include <cstring>

#include "interpose/library.hpp"

namespace weft::interpose {
namespace {

// Beside this one: for a program that opens this library instead of the front end's.
void* open_library(const char* library) noexcept {
  Dl_info info{};
  link_map* self = nullptr;
  char folder[PATH_MAX];
  char path[PATH_MAX + 64];
  const auto* here = reinterpret_cast<const void*>(&open_library);
  if (::dladdr1(here, &info, reinterpret_cast<void**>(&self), RTLD_DL_LINKMAP) == 0 ||
      ::dlinfo(self, RTLD_DI_ORIGIN, folder) != 0) {
    return nullptr;
  }
  (void)std::snprintf(path, sizeof path, "%s/%s", folder, library);
  return ::dlopen(path, RTLD_LAZY);
}

void* find(void* where, const char* name, const char* library) noexcept {
  void* found = ::dlsym(where, name);
  if (found != nullptr) {
    return found;
  }
  // A module of the program has brought the library with it, out of sight of the usual search.
  void* opened = ::dlopen(library, RTLD_LAZY | RTLD_NOLOAD);
  if (opened == nullptr) {
    opened = open_library(library);
  }
  return opened == nullptr ? nullptr : ::dlsym(opened, name);
}

}  // namespace

void* find_next(const char* name, const char* library) noexcept {
  void* found = find(RTLD_NEXT, name, library);
  if (found == nullptr) {
    const auto unversioned = static_cast<int>(std::strstr(library, ".so") + 3 - library);
    (void)std::fprintf(stderr, "weft: %s was called, but %.*s is not loaded; link the program with it\n", name,
                       unversioned, library);
    ::_exit(1);
  }
  // What tools use beside the routines is OpenSHMEM's: a call of another interface does not bring that library.
  if (std::strcmp(library, library_of(api::Call{})) == 0) {
    // From the beginning: the linker may have moved libweft.so's own objects into the program.
    bind_library([](const char* other) { return find(RTLD_DEFAULT, other, library_of(api::Call{})); });
  }
  return found;
}

}  // namespace weft::interpose
