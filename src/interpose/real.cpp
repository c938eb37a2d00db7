#include "interpose/real.hpp"

#include <dlfcn.h>
#include <unistd.h>

#include <cstdio>

namespace weft::interpose {

constinit std::atomic<void*> g_next[api::kCalls] = {};

void* find_next(api::Call call, const char* name) noexcept {
  void* found = ::dlsym(RTLD_NEXT, name);
  if (found == nullptr) {
    // The program has loaded libweft.so itself, out of sight of the usual search.
    if (void* library = ::dlopen("libweft.so.0", RTLD_LAZY | RTLD_NOLOAD)) {
      found = ::dlsym(library, name);
    }
  }
  if (found == nullptr) {
    (void)std::fprintf(stderr, "weft: %s was called, but libweft.so is not loaded; link the program with it\n", name);
    ::_exit(1);
  }
  g_next[static_cast<std::size_t>(call)].store(found, std::memory_order_relaxed);
  return found;
}

}  // namespace weft::interpose
