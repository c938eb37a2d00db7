// A receive's buffer, brought near while its message is awaited. Pure.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "msg/data.hpp"

namespace weft::msg {

/// Lines that a receive is about to write. They come from memory, or from a far cache, while there is nothing else to
/// do; otherwise the copy into them waits for them.
class ExpectedLines {
 public:
  static constexpr std::size_t kLineBytes = 64;
  /// Shorter messages are copied before their lines would have come.
  static constexpr std::uint64_t kLeast = 1024;
  /// Longer ones take so long to come out of the sender's cache that these lines are not what their copy waits for.
  static constexpr std::uint64_t kMost = 4096;
  /// Looks in vain first: what comes soon is not to wait for lines.
  static constexpr std::uint32_t kLooksFirst = 6;
  /// Between two looks: few enough that the look that finds the message is not held up.
  static constexpr std::uint32_t kAtATime = 4;

  /// What is to come is taken to be as long as the last message from there, `last`: a receive may have room for more.
  ExpectedLines(const Data& data, std::uint64_t last) noexcept
      : next_(static_cast<const char*>(data.at)),
        left_(last < kLeast || last > kMost ? 0 : static_cast<std::uint32_t>(std::min(data.bytes, last) / kLineBytes)) {
  }

  /// At a look in vain. Returns how many have been asked for.
  std::uint32_t some() noexcept {
    if (looks_ < kLooksFirst) {
      ++looks_;
      return 0;
    }
    const std::uint32_t count = std::min(left_, kAtATime);
    for (std::uint32_t k = 0; k < count; ++k) {
#if defined(__x86_64__)
      __asm__ __volatile__("prefetchw %0" : : "m"(*next_));
#else
      __builtin_prefetch(next_, 1);
#endif
      next_ += kLineBytes;
    }
    left_ -= count;
    return count;
  }

 private:
  const char* next_;
  std::uint32_t left_;
  std::uint32_t looks_ = 0;
};

}  // namespace weft::msg
