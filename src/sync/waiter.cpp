#include "sync/waiter.hpp"

#include <algorithm>

namespace weft::sync {
namespace {

// About 40 us of polling with PAUSE: several times a cache line's round trip and a short critical section, far
// below a scheduler slice.
constexpr std::uint32_t kSpinsAlone = 1000;
// With more PEs than processors the one we wait for probably needs this processor.
constexpr std::uint32_t kSpinsCrowded = 0;
constexpr std::uint64_t kSleepAfterNs = 1'000'000;
// Others wait for what this PE does between its naps.
constexpr std::uint64_t kShortNapNs = 100'000;

}  // namespace

Patience patience_for(int n_pes, int cpus, long spins, long sleep_after_us) noexcept {
  Patience patience;
  patience.spins = n_pes <= cpus ? kSpinsAlone : kSpinsCrowded;
  if (spins >= 0) {
    patience.spins = static_cast<std::uint32_t>(std::min(spins, 1'000'000'000L));
  }
  patience.sleep_after_ns = kSleepAfterNs;
  if (sleep_after_us >= 0) {
    patience.sleep_after_ns = static_cast<std::uint64_t>(sleep_after_us) * 1000;
  }
  return patience;
}

namespace detail {

std::uint64_t nap_ns(const Patience& patience, std::uint64_t waited_ns, bool work_is_left) noexcept {
  if (work_is_left) {
    return kShortNapNs;
  }
  return std::clamp(waited_ns / 8, patience.shortest_nap_ns, patience.longest_nap_ns);
}

}  // namespace detail
}  // namespace weft::sync
