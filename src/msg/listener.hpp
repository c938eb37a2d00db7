// What a tool is told of messages where one asks for it (the profile): who sends whom how much, by which way it comes,
// and which message a receive had to wait for. Nobody asks as a rule, and then it costs one look at a pointer.
#pragma once

#include <cstdint>

namespace weft::msg {

/// How the data of a message came.
enum class Way : std::uint8_t {
  kBox,        // small, through the box of the pair
  kQueue,      // small, through the receiver's queue: the pair has no box yet, or it was full
  kOneCopy,    // read where it lies
  kTwoCopies,  // through a stage
  kNetwork,    // from another node
};
inline constexpr int kWays = 5;

/// Called inside the room, by whichever thread lets messages go on: it calls nothing of it, and does not wait.
struct Listener {
  void (*sent)(int pe, std::uint32_t context, std::uint64_t bytes) noexcept;
  /// The data of a message of this PE is here, or what of it there was room for.
  void (*came)(int pe, std::uint32_t context, std::uint64_t bytes, Way way) noexcept;
  /// A message, or its head, has come for which a receive was waiting.
  void (*awaited)(int pe, std::uint32_t context) noexcept;
  /// Where in the program the call at hand was made: return addresses lead into the tool.
  const void* (*site)() noexcept;
};

/// Null: nobody listens any more. Before the first message.
void listen(const Listener* listener) noexcept;

}  // namespace weft::msg
