#include "check/leaks.hpp"

#include <cstdlib>

#include "base/options.hpp"

namespace weft::check {
namespace {

// Two or three of one line may be a declaration that allocates for several variables.
constexpr std::size_t kMany = 4;

bool tells_all() noexcept {
  const char* value = ::secure_getenv("SHMEM_DEBUG");
  return base::parse_debug(value != nullptr ? value : ::secure_getenv("SMA_DEBUG")).leaks;
}

}  // namespace

void Leaks::add(const Made& made, std::size_t bytes) {
  Pile& pile = piles_[made.site];
  ++pile.number;
  pile.bytes += bytes;
  pile.call = made.call;
}

// A loop that the compiler has unrolled makes one line many calls, so piles are joined by what is said of their place.
void Leaks::tell() const {
  const std::size_t least = tells_all() ? 1 : kMany;
  std::vector<const void*> sites;
  std::size_t number = 0;
  for (const auto& [site, pile] : piles_) {
    sites.push_back(site);
    number += pile.number;
  }
  if (number < least) {
    return;
  }
  look_up(sites);
  std::map<std::string, Pile> by_place;
  for (const auto& [site, pile] : piles_) {
    Pile& joined = by_place[told({pile.call, site})];
    joined.number += pile.number;
    joined.bytes += pile.bytes;
  }
  for (const auto& [maker, pile] : by_place) {
    if (pile.number >= least) {
      const std::string bytes = pile.bytes == 0 ? "" : text(", %zu bytes in all,", pile.bytes);
      note(text("%zu %s%s were never given back: made by %s, ended by %s", pile.number, kind_, bytes.c_str(),
                maker.c_str(), remedy_));
    }
  }
}

}  // namespace weft::check
