#include "base/nearest.hpp"

#include <algorithm>
#include <array>
#include <cstddef>

namespace weft::base {
namespace {

constexpr std::size_t kLongest = 64;  // of what is looked at; our words are shorter
constexpr std::size_t kMostSlips = 3;

// Letters to change, add, leave out or swap with their neighbour to make one word of the other.
std::size_t slips(std::string_view a, std::string_view b) noexcept {
  using Row = std::array<std::size_t, kLongest + 1>;
  Row before_last{};
  Row last{};
  Row now{};
  for (std::size_t j = 0; j <= b.size(); ++j) now[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    before_last = last;
    last = now;
    now[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      now[j] = std::min({last[j] + 1, now[j - 1] + 1, last[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1)});
      const bool swapped = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
      if (swapped) now[j] = std::min(now[j], before_last[j - 2] + 1);
    }
  }
  return now[b.size()];
}

}  // namespace

std::string_view nearest(std::string_view given, std::span<const std::string_view> words) noexcept {
  std::string_view best;
  std::size_t fewest = kMostSlips + 1;
  for (const std::string_view word : words) {
    const std::size_t count = slips(given.substr(0, kLongest), word.substr(0, kLongest));
    if (count < fewest && count < word.size()) {
      fewest = count;
      best = word;
    }
  }
  return best;
}

}  // namespace weft::base
