#include "interpose/real.hpp"

#include <dlfcn.h>
#include <link.h>
#include <unistd.h>

#include <climits>
#include <cstdio>

#include "interpose/library.hpp"

namespace weft::interpose {
namespace {

constexpr const char* kLibrary = "libweft.so.0";

// Beside this one: for a program that opens this library instead of libweft.so.
void* open_library() noexcept {
  Dl_info info{};
  link_map* self = nullptr;
  char folder[PATH_MAX];
  char path[PATH_MAX + 16];
  const auto* here = reinterpret_cast<const void*>(&open_library);
  if (::dladdr1(here, &info, reinterpret_cast<void**>(&self), RTLD_DL_LINKMAP) == 0 ||
      ::dlinfo(self, RTLD_DI_ORIGIN, folder) != 0) {
    return nullptr;
  }
  (void)std::snprintf(path, sizeof path, "%s/%s", folder, kLibrary);
  return ::dlopen(path, RTLD_LAZY);
}

void* find(void* where, const char* name) noexcept {
  void* found = ::dlsym(where, name);
  if (found != nullptr) {
    return found;
  }
  // A module of the program has brought libweft.so with it, out of sight of the usual search.
  void* library = ::dlopen(kLibrary, RTLD_LAZY | RTLD_NOLOAD);
  if (library == nullptr) {
    library = open_library();
  }
  return library == nullptr ? nullptr : ::dlsym(library, name);
}

}  // namespace

constinit std::atomic<void*> g_next[api::kCalls] = {};

void* find_next(api::Call call, const char* name) noexcept {
  void* found = find(RTLD_NEXT, name);
  if (found == nullptr) {
    (void)std::fprintf(stderr, "weft: %s was called, but libweft.so is not loaded; link the program with it\n", name);
    ::_exit(1);
  }
  // From the beginning: the linker may have moved libweft.so's own objects into the program.
  bind_library([](const char* other) { return find(RTLD_DEFAULT, other); });
  // Release: who finds the routine finds what the library has beside it.
  g_next[static_cast<std::size_t>(call)].store(found, std::memory_order_release);
  return found;
}

}  // namespace weft::interpose
