// Where the changes of one message are (joined.hpp).
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

#include "win/spans.hpp"

namespace weft::win {

/// Where elements are changed, told so shortly that it may be said of more: who is told that they meet waits, perhaps
/// without need.
class Touched {
 public:
  void add(const Span& span) noexcept {
    for_each(span, [](std::uint64_t& word, std::uint64_t bit) noexcept {
      word |= bit;
      return false;
    });
  }
  bool meets(const Span& span) const noexcept {
    return const_cast<Touched*>(this)->for_each(
        span, [](const std::uint64_t& word, std::uint64_t bit) noexcept { return (word & bit) != 0; });
  }
  bool meets(const Touched& other) const noexcept {
    std::uint64_t both = 0;
    for (std::size_t k = 0; k < words_.size(); ++k) {
      both |= words_[k] & other.words_[k];
    }
    return both != 0;
  }
  void clear() noexcept { words_.fill(0); }

 private:
  static constexpr std::uint64_t kGrain = 8;  // bytes
  static constexpr std::uint64_t kBits = 4096;

  // Until one says true: then true.
  template <class Each>
  bool for_each(const Span& span, Each&& each) noexcept {
    const std::uint64_t first = span.low / kGrain;
    const std::uint64_t last = (span.high - 1) / kGrain;
    if (last - first >= kBits) {  // all of them, as it may have each
      return std::any_of(words_.begin(), words_.end(),
                         [&](std::uint64_t& word) noexcept { return each(word, ~std::uint64_t{0}); });
    }
    for (std::uint64_t at = first; at <= last; ++at) {
      // What is far away is elsewhere too: the higher digits move what the lower ones say.
      const std::uint64_t number = (at + (at / kBits) * 1031) % kBits;
      if (each(words_[number / 64], std::uint64_t{1} << number % 64)) {
        return true;
      }
    }
    return false;
  }

  std::array<std::uint64_t, kBits / 64> words_{};
};

}  // namespace weft::win
