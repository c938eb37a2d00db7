// Begin and end of this front end in a PE.
#pragma once

#include <atomic>

namespace weft::shared {

/// weft_shared_init and weft_shared_finalize have been called as often the one as the other, or not at all.
extern constinit std::atomic<bool> g_begun;
[[noreturn]] void fail_not_begun() noexcept;
// Relaxed: who has begun it has told its threads by what orders more.
inline void need_begun() noexcept {
  if (!g_begun.load(std::memory_order_relaxed)) [[unlikely]] {
    fail_not_begun();
  }
}

void begin() noexcept;
void end() noexcept;
/// In a forked child.
void refuse_calls() noexcept;

}  // namespace weft::shared
