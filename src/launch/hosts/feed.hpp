// What an agent has been sent of oshrun's standard input, on its way into the pipe that is standard input here.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "launch/streams/poller.hpp"

namespace weft::launch::hosts {

class Feed {
 public:
  /// Bytes that may be on their way to a host before its PEs have taken some.
  static constexpr std::uint64_t kWindow = 256 * 1024;

  explicit Feed(streams::Poller& poller) : poller_(poller) {}
  ~Feed() { close(); }
  Feed(const Feed&) = delete;
  Feed& operator=(const Feed&) = delete;

  /// Makes the pipe our standard input. False: errno says why not.
  bool open();
  /// Each gives the number of bytes that have left.
  std::uint64_t add(std::string_view bytes);
  std::uint64_t writable() { return push(); }
  std::uint64_t end();
  void close();

 private:
  std::uint64_t push();

  streams::Poller& poller_;
  int fd_ = -1;
  bool polled_ = false;
  bool ended_ = false;
  std::string kept_;
};

}  // namespace weft::launch::hosts
