#include "dsm/homes.hpp"

#include <algorithm>
#include <atomic>

#include "dsm/elsewhere.hpp"
#include "dsm/parts.hpp"
#include "dsm/state.hpp"

namespace weft::dsm {

Homes ask_homes(std::uint32_t first, std::uint32_t pages, bool claim) noexcept {
  return g.arena != nullptr ? settle_homes(first, pages, g.me, claim) : ask_homes_elsewhere(first, pages, claim);
}

Homes settle_homes(std::uint32_t first, std::uint32_t pages, int pe, bool claim) noexcept {
  Homes found;
  if (first >= g.pages) {
    return found;
  }
  std::atomic<std::uint16_t>* const table = known_homes();
  const auto own = static_cast<std::uint16_t>(pe + 1);
  pages = std::min({pages, kMostHomes, g.pages - first});
  for (; found.pages < pages && g.arena->in_use(first + found.pages); ++found.pages) {
    std::uint16_t home = 0;
    // Relaxed: nothing else is told by it. Contents come from the home, or are zero.
    if (!claim) {
      home = table[first + found.pages].load(std::memory_order_relaxed);
    } else if (table[first + found.pages].compare_exchange_strong(home, own, std::memory_order_relaxed)) {
      home = own;
      found.claimed |= std::uint64_t{1} << found.pages;
    }
    found.homes[found.pages] = home;
  }
  return found;
}

}  // namespace weft::dsm
