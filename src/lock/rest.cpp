// On its own, for in tests/models nothing comes to an end by time.
#include <sched.h>

#include <algorithm>

#include "lock/migrating.hpp"
#include "os/clock.hpp"

namespace weft::lock {

// Each look costs the home a message, so those far behind look seldom: with every holder before this one a lock
// changes hands once more, which takes a round trip at least. Nor is it worth looking often what has taken long.
void rest_from_looking(const sync::Patience& patience, std::uint32_t ahead, std::uint64_t waited_ns) noexcept {
  constexpr std::uint64_t kHandOver = 10'000;
  constexpr std::uint64_t kLongest = 2'000'000;
  const std::uint64_t pause = std::min(kLongest, std::max((ahead - 1) * kHandOver, waited_ns / 16));
  const std::uint64_t until = os::now_ns() + pause;
  do {
    sync::detail::poll(patience);
    (void)sync::detail::work_is_left(patience);
    ::sched_yield();
  } while (os::now_ns() < until);
}

}  // namespace weft::lock
