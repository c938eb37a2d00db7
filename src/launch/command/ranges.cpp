#include "launch/command/ranges.hpp"

#include <algorithm>
#include <charconv>

namespace weft::launch::command {
namespace {

bool read_number(std::string_view& text, int& number) {
  const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc{}) return false;
  text.remove_prefix(static_cast<std::size_t>(stop - text.data()));
  return true;
}

}  // namespace

std::optional<std::vector<int>> read_ranges(std::string_view text, int below) {
  std::vector<int> numbers;
  for (;;) {
    int first = 0;
    bool good = read_number(text, first);
    int last = first;
    if (good && !text.empty() && text[0] == '-') {
      text.remove_prefix(1);
      good = read_number(text, last);
    }
    if (!good || first < 0 || last < first || last >= below || (!text.empty() && text[0] != ',')) return std::nullopt;
    for (int number = first; number <= last; ++number) numbers.push_back(number);
    if (text.empty()) break;
    text.remove_prefix(1);
  }
  std::sort(numbers.begin(), numbers.end());
  numbers.erase(std::unique(numbers.begin(), numbers.end()), numbers.end());
  return numbers;
}

}  // namespace weft::launch::command
