// Standard input of PE 0. A file, a pipe or /dev/null is simply inherited. A terminal is not: a PE leads its own
// process group and would be stopped when it reads, so what is typed goes through a pipe.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "launch/poller.hpp"

namespace weft::launch {

class Input {
 public:
  explicit Input(Poller& poller) : poller_(poller) {}
  ~Input() { stop(); }
  Input(const Input&) = delete;
  Input& operator=(const Input&) = delete;

  /// The descriptor PE 0 is to read, -1 when a pipe could not be made. Belongs to the caller when it is not 0.
  int open();

  void terminal_readable();
  void pipe_writable();
  /// Looks again whether we are in the foreground of the terminal.
  void look(std::uint64_t now);
  std::optional<std::uint64_t> next_look() const { return look_at_; }
  void stop();

 private:
  void read_terminal(bool on);
  void push();

  Poller& poller_;
  int to_pe_ = -1;
  bool reading_ = false;  // the terminal is polled
  bool writing_ = false;  // the pipe is polled
  bool ended_ = false;    // end of input was typed
  std::string kept_;
  std::optional<std::uint64_t> look_at_;
};

}  // namespace weft::launch
