// The two pipes between neighbours in the tree of oshrun and its agents. Neither reading nor writing ever waits.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "launch/hosts/frames.hpp"
#include "launch/streams/poller.hpp"

namespace weft::launch::hosts {

class Link {
 public:
  /// How long nothing is sent before the other end is told that we are still here.
  static constexpr std::uint64_t kBeat = 1'000'000'000;  // ns

  /// `which` names the link in events (About::kLinkIn, About::kLinkOut).
  Link(streams::Poller& poller, std::uint32_t which) : poller_(poller), which_(which) {}
  Link(const Link&) = delete;
  Link& operator=(const Link&) = delete;
  ~Link() { close(); }

  /// Takes over the descriptors and greets.
  void open(int in, int out, std::uint64_t now);
  void send(FrameKind kind, std::uint32_t node, std::string_view payload = {});
  /// Reads what is there, at most so much that others get their turn.
  void readable() { (void)read_some(); }
  /// All that is there, for a neighbour that has ended.
  void drain();
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
  bool has_kept() const { return kept() > 0; }
  std::size_t kept() const { return kept_.size() - sent_; }
  /// How often something has come.
  std::uint64_t reads() const { return reads_; }
  /// What came is not what an agent says; empty: it is.
  const std::string& problem() const { return reader_.problem(); }
  /// To be called each `interval` (ns). For how long the other end has been silent while we listened: a call that comes
  /// late counts as one interval, for time in which we did not run ourselves, as on a machine that was asleep or has
  /// too much to do, says nothing about the other end.
  std::uint64_t silence(std::uint64_t now, std::uint64_t interval);
  void forget_silence() { silence_ = 0; }

 private:
  bool read_some();
  void push();

  streams::Poller& poller_;
  std::uint32_t which_;
  int in_ = -1;
  int out_ = -1;
  bool waiting_ = false;  // polled for room
  FrameReader reader_;
  std::string kept_;
  std::size_t sent_ = 0;  // of kept_
  std::uint64_t reads_ = 0;
  std::uint64_t silence_ = 0;
  std::uint64_t listened_at_ = 0;
  std::uint64_t sent_at_ = 0;
};

}  // namespace weft::launch::hosts
