// How much a PE may send of messages that nobody waits for yet.
//
// Small messages are sent with their data: most are waited for. What nobody waits for has to be kept, and a PE that is
// ahead of another could fill its memory. So each sender has an allowance at each receiver, which what it sends takes
// up and what is received gives back. What is larger, or finds the allowance used up, is offered, and sent when the
// receiver wants it. So the call of the sender waits for that of the receiver, as any collective may; but requests
// behind the offer do not wait, and messages of other tags neither, so nothing can stop whose end it needs.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace weft::transport {

struct Allowance {
  /// What one message costs beside its bytes: the memory in which it is kept.
  static constexpr std::uint64_t kEach = 256;
  /// Offers of one sender that nobody wants yet. Each is of a call of its own or of a part of one.
  static constexpr std::uint32_t kOffers = 4096;

  /// The same on both sides. All senders together may have 256 MiB kept here, or a little each in a large job.
  static constexpr std::uint64_t of_each(std::size_t pes) noexcept {
    constexpr std::uint64_t kAll = std::uint64_t{256} << 20;
    constexpr std::uint64_t kLeast = std::uint64_t{64} << 10;
    constexpr std::uint64_t kMost = std::uint64_t{4} << 20;
    return std::clamp(kAll / std::max<std::uint64_t>(pes, 1), kLeast, kMost);
  }
  static constexpr std::uint64_t cost(std::uint64_t bytes) noexcept { return bytes + kEach; }
  /// Of one message with its data. A part, so that who is told of every such part that was received has room for one.
  static constexpr std::uint64_t largest(std::uint64_t allowance) noexcept { return allowance / 4; }
};

}  // namespace weft::transport
