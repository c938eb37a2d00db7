#include "reach/self.hpp"

#include <sys/random.h>
#include <unistd.h>

#include "reach/identity.hpp"

namespace weft::reach {
namespace {

bool asked(base::SingleCopy choice, Way way) noexcept {
  switch (choice) {
    case base::SingleCopy::kBest: return true;
    case base::SingleCopy::kXpmem: return way == Way::kXpmem;
    case base::SingleCopy::kCma: return way == Way::kCma;
    case base::SingleCopy::kKnem: return way == Way::kKnem;
    case base::SingleCopy::kNone: return false;
  }
  return false;
}

// Never 0, which untouched memory holds. Not a secret: it tells this process from those that happen to have its number.
std::uint64_t fresh_token(const void* own) noexcept {
  std::uint64_t token = 0;
  if (::getrandom(&token, sizeof token, GRND_NONBLOCK) != sizeof token || token == 0) {
    token = reinterpret_cast<std::uintptr_t>(own) ^ start_of(::getpid()) ^ static_cast<std::uint64_t>(::getpid()) << 40;
  }
  return token | 1;
}

}  // namespace

void Self::open(base::SingleCopy choice, int family, const Systems& systems) noexcept {
  close();
  probe_.token = fresh_token(this);
  probe_.answer.store(0, std::memory_order_relaxed);  // nobody has its address yet
  for (int k = 0; k < kWays; ++k) {
    const Way way = static_cast<Way>(k);
    if (!asked(choice, way)) {
      reasons_[k] = {Why::kNotAsked};
      continue;
    }
    switch (way) {
      case Way::kXpmem: reasons_[k] = xpmem_.open(systems); break;
      case Way::kCma: reasons_[k] = cma_.open(systems, family); break;
      case Way::kKnem: reasons_[k] = knem_.open(systems); break;
    }
  }
  to_knem_ = !offers(Way::kXpmem) && !offers(Way::kCma);
  probe_cookie_ = knem_.show(reinterpret_cast<std::uintptr_t>(&probe_), sizeof probe_, true);
}

void Self::close() noexcept {
  if (offers(Way::kXpmem)) {
    xpmem_.close();
  }
  if (offers(Way::kCma)) {
    cma_.close();
  }
  if (offers(Way::kKnem)) {
    knem_.close();
  }
  for (Reason& reason : reasons_) {
    reason = {Why::kNotTried};
  }
  probe_cookie_ = 0;
}

void Self::show(Card* card) const noexcept {
  std::uint32_t ways = 0;
  for (int k = 0; k < kWays; ++k) {
    ways |= offers(static_cast<Way>(k)) ? bit(static_cast<Way>(k)) : 0;
  }
  card->pid = ::getpid();
  card->started = start_of(card->pid);
  card->user_space = space_of_own("user");
  card->pid_space = space_of_own("pid");
  card->segment = xpmem_.segment();
  card->probe = reinterpret_cast<std::uintptr_t>(&probe_);
  card->probe_cookie = probe_cookie_;
  card->token = probe_.token;
  // Release: who sees a way offered sees the rest of the card.
  card->ways.store(ways, std::memory_order_release);
}

Place Self::show(const void* at, std::size_t bytes, bool writable) const noexcept {
  const auto address = reinterpret_cast<std::uintptr_t>(at);
  const bool by_knem = to_knem_ && offers(Way::kKnem) && bytes > 0;
  return {address, bytes, by_knem ? knem_.show(address, bytes, writable) : 0};
}

void Self::take_back(const Place& place) const noexcept { knem_.take_back(place.cookie); }

}  // namespace weft::reach
