#include "dsm/libc/real.hpp"

#include <dlfcn.h>

#include "base/lines.hpp"

namespace weft::dsm::libc {
namespace {

constexpr std::size_t kNames = static_cast<std::size_t>(Name::kNames);
constexpr const char* kTexts[kNames] = {
#define NAME(name) #name,
#include "dsm/libc/names.def"
#undef NAME
};
constinit std::atomic<void*> g_real[kNames] = {};

// Older C libraries have not all of them, and then nobody calls those.
[[gnu::constructor]] void find_all() noexcept {
  for (std::size_t k = 0; k < kNames; ++k) {
    g_real[k].store(::dlsym(RTLD_NEXT, kTexts[k]), std::memory_order_relaxed);
  }
}

}  // namespace

void* real(Name name) noexcept {
  std::atomic<void*>& at = g_real[static_cast<std::size_t>(name)];
  // Relaxed: all who look find the same.
  void* found = at.load(std::memory_order_relaxed);
  if (found == nullptr) [[unlikely]] {
    const char* const text = kTexts[static_cast<std::size_t>(name)];
    found = ::dlsym(RTLD_NEXT, text);
    if (found == nullptr) {
      base::fail(nullptr, "the C library has no %s; Weft's library of shared pages must be loaded before it", text);
    }
    at.store(found, std::memory_order_relaxed);
  }
  return found;
}

}  // namespace weft::dsm::libc
