// A receive's buffer, brought near while its message is awaited or copied. Pure.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "msg/data.hpp"

namespace weft::msg {

/// Asks for the line, to write it.
inline void bring_near(const char* line) noexcept {
#if defined(__x86_64__)
  __asm__ __volatile__("prefetchw %0" : : "m"(*line));
#else
  __builtin_prefetch(line, 1);
#endif
}

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
      bring_near(next_);
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

/// The same of a message that comes in pieces: while one part of the buffer is written, the lines of the next one come.
/// A processor asks for lines ahead by itself, but for few, and for none across pages.
class NextLines {
 public:
  static constexpr std::size_t kPartBytes = 2048;

  /// Not where the last message from there went into the same buffer: that is near, and to ask costs a hundredth.
  NextLines(const void* buffer, const void* last) noexcept : is_far_(buffer != last) {}
  bool is_far() const noexcept { return is_far_; }

  /// Of `bytes` at `to`, of which the first part is not asked for, and `behind` that follow in the buffer. copy(offset,
  /// bytes) of each part, behind what is asked for. Returns how many lines were.
  template <class Copy>
  std::size_t copy_in_parts(const void* to, std::size_t bytes, std::size_t behind, Copy&& copy) const noexcept {
    if (!is_far_) {
      copy(std::size_t{0}, bytes);
      return 0;
    }
    std::size_t asked = 0;
    for (std::size_t at = 0; at < bytes;) {
      const std::size_t part = std::min(kPartBytes, bytes - at);
      const std::size_t next = std::min(kPartBytes, bytes + behind - at - part);
      for (std::size_t k = 0; k < next; k += ExpectedLines::kLineBytes, ++asked) {
        bring_near(static_cast<const char*>(to) + at + part + k);
      }
      copy(at, part);
      at += part;
    }
    return asked;
  }

 private:
  bool is_far_;
};

}  // namespace weft::msg
