#include "launch/command/soft.hpp"

#include <algorithm>
#include <charconv>
#include <cstdint>

namespace weft::launch::command {
namespace {

struct Triplet {
  std::int64_t number[3] = {0, 0, 1};  // from, to, step
};

std::optional<Triplet> read(std::string_view text) {
  Triplet triplet;
  int count = 0;
  for (bool more = true; more; ++count) {
    int value = 0;
    const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (count == 3 || error != std::errc{}) return std::nullopt;
    triplet.number[count] = value;
    text.remove_prefix(static_cast<std::size_t>(stop - text.data()));
    more = text.starts_with(':');
    if (more) text.remove_prefix(1);
  }
  if (count == 1) triplet.number[1] = triplet.number[0];
  if (!text.empty() || triplet.number[2] == 0) return std::nullopt;
  return triplet;
}

// The members are a, a + c, ... up to b, or down to it.
int largest_of(const Triplet& triplet, int most) {
  const auto [from, to, step] = triplet.number;
  if (step > 0) {
    const std::int64_t top = std::min<std::int64_t>(to, most);
    const std::int64_t found = top < from ? 0 : from + (top - from) / step * step;
    return static_cast<int>(std::max<std::int64_t>(found, 0));
  }
  // Going down, the first that is not too large is the largest.
  const std::int64_t steps = from > most ? (from - most - step - 1) / -step : 0;
  const std::int64_t found = from + steps * step;
  return found >= std::max<std::int64_t>(to, 1) ? static_cast<int>(found) : 0;
}

}  // namespace

std::optional<int> largest_soft(std::string_view text, int most) {
  int largest = 0;
  for (bool more = true; more;) {
    const std::size_t comma = text.find(',');
    more = comma != text.npos;
    const std::optional<Triplet> triplet = read(text.substr(0, comma));
    if (!triplet) return std::nullopt;
    largest = std::max(largest, largest_of(*triplet, most));
    text.remove_prefix(more ? comma + 1 : text.size());
  }
  return largest;
}

}  // namespace weft::launch::command
