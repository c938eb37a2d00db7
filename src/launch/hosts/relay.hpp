// What PEs of an agent write, on its way up as it is read; oshrun makes lines of it. A reader that is slow there makes
// the PEs wait here: not more than a window of bytes is on its way.
#pragma once

#include <cstdint>
#include <functional>
#include <string_view>

#include "launch/streams/pipes.hpp"

namespace weft::launch::hosts {

class Relay {
 public:
  /// Bytes that may be on their way before oshrun has passed some on.
  static constexpr std::uint64_t kWindow = 1 << 20;

  using Pass = std::function<void(int pe, int stream, std::string_view bytes)>;
  Relay(streams::Poller& poller, int n_pes, Pass pass);
  Relay(const Relay&) = delete;
  Relay& operator=(const Relay&) = delete;

  /// Takes over the read ends of one PE's pipes; they must not block.
  void adopt(int pe, int out, int err);
  void readable(std::uint32_t source);
  /// Reads what a PE that has ended left in its pipes.
  void drain(int pe);
  void drain_all();
  void passed_on(std::uint64_t bytes);
  /// Nobody reads this stream any more: its writers notice, as they would without us.
  void close_stream(int stream);
  void close_all();
  bool has_open() const { return pipes_.has_open(); }

 private:
  bool read_some(std::uint32_t source);
  void pause_or_go_on();

  Pass pass_;
  streams::Pipes pipes_;
  std::uint64_t on_the_way_ = 0;
  bool paused_ = false;
};

}  // namespace weft::launch::hosts
