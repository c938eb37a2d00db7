// From the PEs' stdout and stderr to ours, whole lines at a time.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "launch/streams/lines.hpp"
#include "launch/streams/pipes.hpp"
#include "launch/streams/poller.hpp"
#include "launch/streams/sink.hpp"
#include "launch/streams/tags.hpp"

namespace weft::launch::streams {

class Forward {
 public:
  /// How long the end of a line is awaited before the line is passed on as it is. Long enough for a PE that writes a
  /// line in pieces and loses its core between two of them.
  static constexpr std::uint64_t kPatience = 200'000'000;  // ns

  /// With `tagged` each line goes out behind the number of its PE.
  Forward(Poller& poller, int n_pes, bool tagged);
  ~Forward();
  Forward(const Forward&) = delete;
  Forward& operator=(const Forward&) = delete;

  /// Takes over the read ends of one PE's pipes; they must not block.
  void adopt(int pe, int out, int err);

  /// What a PE has written that is none of ours to read from: it runs on another host.
  void take(int pe, int stream, std::string_view bytes, std::uint64_t now);
  /// Such a PE will write no more.
  void ended(int pe);
  /// So much is kept of this stream that its writers should wait.
  bool is_full(int stream) const { return paused_[static_cast<std::size_t>(stream)]; }
  bool is_broken(int stream) const { return told_[static_cast<std::size_t>(stream)]; }

  void readable(std::uint32_t source, std::uint64_t now);
  void writable(std::uint32_t sink);
  /// Reads what a PE that has ended left in its pipes, so that its last words come before what we say about it.
  void drain(int pe, std::uint64_t now);
  /// Passes on lines that were begun and not ended.
  void flush_idle(std::uint64_t now);
  std::optional<std::uint64_t> next_flush(std::uint64_t now) const;

  /// A line of the launcher's own, on stderr.
  void say(std::string_view line);

  /// Everything has been read, every line passed on.
  bool finished() const { return !has_open() && !has_kept(); }
  bool has_open() const { return pipes_.has_open(); }
  bool has_kept() const { return sinks_[0].has_kept() || sinks_[1].has_kept(); }
  /// Stops reading: whoever still holds the pipes is none of ours.
  void close_all();
  /// The errno with which one of our outputs broke, once; 0 when none did since the last call.
  int take_broken();

 private:
  struct Writer {
    LineKeeper lines;
    std::uint64_t since = 0;  // when it last wrote
  };
  void pass(std::uint32_t index, std::string_view piece);
  void flush(std::uint32_t index);
  bool read_some(std::uint32_t index, std::uint64_t now);  // false: nothing there now, or nothing more ever
  void add(std::uint32_t index, std::string_view bytes, std::uint64_t now);
  void end_line(std::uint32_t index);
  void close_source(std::uint32_t index);
  void after_write(std::uint32_t sink);
  std::uint32_t sink_of(std::uint32_t source) const { return source & 1U; }

  Poller& poller_;
  std::array<Sink, 2> sinks_;
  std::array<Tags, 2> tags_;       // what is open in each sink
  std::array<bool, 2> waiting_{};  // the sink is polled for room
  std::array<bool, 2> paused_{};   // its pipes are not read
  std::array<bool, 2> told_{};     // its breaking has been noticed
  Pipes pipes_;
  std::vector<Writer> writers_;  // by their pipes; where those are another host's, too
  int begun_ = 0;                // writers with an unfinished line
  int broken_ = 0;
  bool alone_;  // one PE: there is nothing to keep apart
  bool tagged_;
};

}  // namespace weft::launch::streams
