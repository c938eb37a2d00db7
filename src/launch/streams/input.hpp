// Standard input of the PEs. A file, a pipe or /dev/null that one PE is to read is simply inherited. A terminal is not:
// a PE leads its own process group and would be stopped when it reads, so what is typed goes through a pipe. So does
// everything that all PEs are to read, through a pipe for each.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "launch/command/arguments.hpp"
#include "launch/streams/poller.hpp"

namespace weft::launch::streams {

class Input {
 public:
  /// How far the slowest PE may lag behind before reading stops. A PE that never reads holds up the others only here.
  static constexpr std::size_t kMostKept = 16 << 20;

  /// `always_pipe`: PE 0 gets what it reads through a pipe, whatever that is; for who passes it on to another host.
  Input(Poller& poller, command::InputTo to, int n_pes, bool always_pipe = false);
  ~Input() { stop(); }
  Input(const Input&) = delete;
  Input& operator=(const Input&) = delete;

  bool has_pipes() const { return to_all_; }
  /// The descriptor this PE is to read; -1: nothing, or a pipe could not be made. Belongs to the caller when it is not
  /// 0.
  int open(int pe);

  void readable();
  void pipe_writable(int pe);
  void pe_ended(int pe);
  /// Reads on where the kernel does not tell when: a file is always ready, and being in the foreground again is no
  /// event.
  void look(std::uint64_t now);
  std::optional<std::uint64_t> next_look() const { return look_at_; }

 private:
  struct Target {
    int fd = -1;
    bool polled = false;
    std::uint64_t sent = 0;  // of all that was read
  };
  bool is_full() const { return to_all_ ? kept_.size() >= kMostKept : !kept_.empty(); }
  void poll_source(bool on);
  void read_some();
  void send(Target& target, int pe);
  void send_all();
  void close_target(Target& target);
  void go_on();
  void stop();

  Poller& poller_;
  bool from_terminal_;
  bool to_all_;  // through pipes
  bool to_pe0_;
  bool always_pipe_;
  std::vector<Target> targets_;  // by PE; those with a pipe
  int open_ = 0;
  bool polled_ = false;        // our own input
  bool always_ready_ = false;  // it cannot be polled
  bool ended_ = false;
  std::string kept_;             // what the slowest target has not got yet
  std::uint64_t kept_from_ = 0;  // its place in all that was read
  std::optional<std::uint64_t> look_at_;
};

}  // namespace weft::launch::streams
