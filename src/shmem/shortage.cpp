#include "shmem/shortage.hpp"

#include <algorithm>
#include <atomic>
#include <cstdio>

namespace weft::shmem {
namespace {

// Null itself and what small offsets make of it; the kernel gives nobody these addresses.
constexpr std::size_t kNearNull = 65536;

char g_text[256];
std::size_t g_bytes = 0;
std::atomic<bool> g_noted = false;

}  // namespace

void note_shortage(const char* call, std::size_t bytes, std::size_t heap_bytes, std::size_t would_do) noexcept {
  if (g_noted.load(std::memory_order_relaxed)) {
    return;
  }
  constexpr std::size_t kMiB = std::size_t{1} << 20;
  const int used = std::snprintf(g_text, sizeof g_text,
                                 "%s of %zu bytes returned NULL before, as the symmetric heap of %zu MiB had no room; ",
                                 call == nullptr ? "an allocation" : call, bytes, heap_bytes / kMiB);
  if (would_do > 0) {
    (void)std::snprintf(g_text + used, sizeof g_text - static_cast<std::size_t>(used),
                        "SHMEM_SYMMETRIC_SIZE=%zuM would do for it", (would_do + kMiB - 1) / kMiB);
  } else {
    (void)std::snprintf(g_text + used, sizeof g_text - static_cast<std::size_t>(used), "no heap can be so large");
  }
  g_bytes = bytes;
  // Release: the thread that crashes may be another one.
  g_noted.store(true, std::memory_order_release);
}

const char* shortage() noexcept { return g_noted.load(std::memory_order_acquire) ? g_text : nullptr; }

bool follows_from_shortage(std::uintptr_t at) noexcept {
  return shortage() != nullptr && at < std::max(g_bytes, kNearNull);
}

}  // namespace weft::shmem
