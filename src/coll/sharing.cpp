#include "coll/sharing.hpp"

#include <algorithm>
#include <atomic>

#include "os/cpus.hpp"

namespace weft::coll {
namespace {

// The kernel may put members together again, as something else runs there: then they leave more and more seldom.
constexpr std::uint32_t kLongestPause = 1024;
std::atomic<std::uint32_t> g_pause{0};  // how many times not, behind the last time
std::atomic<std::uint32_t> g_left_out{0};

}  // namespace

// The kernel sees processes that all want all of a processor, and moves none from three to one.
[[gnu::cold]] void Sharing::spread() const noexcept {
  std::uint32_t processors[sync::kMostLookedAt];
  for (int seat = 0; seat < team_.here.size; ++seat) {
    // Relaxed: a hint.
    processors[seat] = station(seat).meeting.at.processor.load(std::memory_order_relaxed);
  }
  if (!sync::is_one_too_many(processors, team_.here.size, team_.seat)) {
    return;
  }
  // Relaxed: of this process alone, and of two threads that both leave one too many has been moved for nothing.
  if (const std::uint32_t left_out = g_left_out.load(std::memory_order_relaxed); left_out > 0) {
    g_left_out.store(left_out - 1, std::memory_order_relaxed);
    return;
  }
  (void)os::leave_processor();
  const std::uint32_t pause = std::min(2 * g_pause.load(std::memory_order_relaxed) + 1, kLongestPause);
  g_pause.store(pause, std::memory_order_relaxed);
  g_left_out.store(pause, std::memory_order_relaxed);
}

}  // namespace weft::coll
