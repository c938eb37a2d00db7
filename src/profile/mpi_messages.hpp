// What the room msg tells of messages while a profile is made: from whom to whom, how many bytes, by which way, and
// which of them a receive had to wait for.
#pragma once

#include <cstdint>

namespace weft::profile {

/// What this thread has sent so far.
struct Passed {
  std::uint64_t sent = 0;
  std::uint64_t sent_bytes = 0;
};
Passed passed() noexcept;

/// The latest message that a receive waited for: who sent it, and when it came; -1: there was none.
struct Awaited {
  int pe = -1;
  std::uint64_t ticks = 0;
};
Awaited latest_awaited() noexcept;

/// From now on this process's messages are Weft's, and are counted.
void count_messages() noexcept;

}  // namespace weft::profile
