// The two pipes between neighbours in the tree of oshrun and its agents. Neither reading nor writing ever waits.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "launch/frames.hpp"
#include "launch/poller.hpp"

namespace weft::launch {

class Link {
 public:
  /// How long nothing is sent before the other end is told that we are still here.
  static constexpr std::uint64_t kBeat = 1'000'000'000;  // ns

  /// `which` names the link in events (About::kLinkIn, About::kLinkOut).
  Link(Poller& poller, std::uint32_t which) : poller_(poller), which_(which) {}
  Link(const Link&) = delete;
  Link& operator=(const Link&) = delete;
  ~Link() { close(); }

  /// Takes over the descriptors and greets.
  void open(int in, int out, std::uint64_t now);
  void send(FrameKind kind, std::uint32_t node, std::string_view payload = {});
  /// Reads what is there, at most so much that others get their turn.
  void readable(std::uint64_t now);
  /// All that is there, for a neighbour that has ended.
  void drain(std::uint64_t now);
  void writable();
  /// The next frame that has come; beats are not handed out.
  std::optional<Frame> next();
  /// Tells the other end that we are here, when it is time.
  void beat(std::uint64_t now);
  /// For a process that is about to be stopped: what is kept goes out now, unless that takes long.
  void flush();
  void close();

  bool is_open() const { return in_ >= 0; }
  bool greeted() const { return reader_.greeted(); }
  bool has_kept() const { return sent_ < kept_.size(); }
  /// What came is not what an agent says; empty: it is.
  const std::string& problem() const { return reader_.problem(); }
  std::uint64_t heard_at() const { return heard_at_; }
  void forget_silence(std::uint64_t now) { heard_at_ = now; }

 private:
  bool read_some(std::uint64_t now);
  void push();

  Poller& poller_;
  std::uint32_t which_;
  int in_ = -1;
  int out_ = -1;
  bool waiting_ = false;  // polled for room
  FrameReader reader_;
  std::string kept_;
  std::size_t sent_ = 0;  // of kept_
  std::uint64_t heard_at_ = 0;
  std::uint64_t sent_at_ = 0;
};

}  // namespace weft::launch
