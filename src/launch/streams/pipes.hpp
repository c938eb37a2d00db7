// The read ends of PEs' stdout and stderr, which may be polled or left alone for a while.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include "launch/streams/poller.hpp"

namespace weft::launch::streams {

class Pipes {
 public:
  /// Reads after which a PE that has ended has nothing more in a pipe, which holds 64 KiB unless somebody made it
  /// larger: 1 MiB at most for most users.
  static constexpr int kDrainReads = 64;

  Pipes(Poller& poller, int n_pes);
  ~Pipes();
  Pipes(const Pipes&) = delete;
  Pipes& operator=(const Pipes&) = delete;

  /// A source is 2 * pe for its stdout, 2 * pe + 1 for its stderr.
  std::uint32_t count() const { return static_cast<std::uint32_t>(sources_.size()); }
  bool is_open(std::uint32_t source) const { return sources_[source].fd >= 0; }
  bool has_open() const { return open_ > 0; }

  /// Takes over a read end; it must not block.
  void adopt(std::uint32_t source, int fd);
  /// Has the poller tell when there is something to read, or not. Nothing for a source that is closed.
  void poll(std::uint32_t source, bool on);
  /// One read of an open source: what was there, until the next one; empty: nothing was. None: nothing will ever be.
  std::optional<std::string_view> read(std::uint32_t source);
  /// False: it is closed already.
  bool close(std::uint32_t source);

 private:
  struct Source {
    int fd = -1;
    bool polled = false;
  };
  Poller& poller_;
  std::vector<Source> sources_;
  int open_ = 0;
  std::unique_ptr<char[]> buffer_;
};

}  // namespace weft::launch::streams
