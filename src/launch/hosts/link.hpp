// The two pipes between neighbours in the tree of oshrun and its agents. Neither reading nor writing ever waits.
#pragma once

#include <cstdint>

#include "launch/streams/poller.hpp"
#include "launch/tree/line.hpp"

namespace weft::launch::hosts {

class Link final : public tree::Line {
 public:
  /// `which` names the link in events (About::kLinkIn, About::kLinkOut).
  Link(streams::Poller& poller, std::uint32_t which) : poller_(poller), which_(which) {}
  ~Link() override { close(); }

  /// Takes over the descriptors and greets.
  void open(int in, int out, std::uint64_t now);
  /// Reads what is there, at most so much that others get their turn.
  void readable() { (void)read_some(); }
  /// All that is there, for a neighbour that has ended.
  void drain();
  void writable() { push(); }
  /// For a process that is about to be stopped: what is kept goes out now, unless that takes long.
  void flush();
  void close();

  bool is_open() const override { return in_ >= 0; }

 private:
  bool read_some();
  void push() override;

  streams::Poller& poller_;
  std::uint32_t which_;
  int in_ = -1;
  int out_ = -1;
  bool waiting_ = false;  // polled for room
};

}  // namespace weft::launch::hosts
