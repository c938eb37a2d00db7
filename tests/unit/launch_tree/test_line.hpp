// A line that ends in the test: what is sent is kept there, and what comes is what it says.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "launch/tree/line.hpp"

namespace weft::launch::tree {

class TestLine final : public Line {
 public:
  explicit TestLine(std::uint64_t now) { begin(now); }

  bool is_open() const override { return open; }
  void say(std::string_view bytes) { heard(bytes); }
  /// As an agent does that answers.
  void greet() { say(greeting()); }
  void say(FrameKind kind, std::uint32_t node, std::string_view payload = {}) {
    std::string bytes;
    put_frame(bytes, kind, node, payload);
    say(bytes);
  }
  /// The frames that have been sent since the last time.
  std::vector<Frame> take() {
    std::vector<Frame> frames;
    while (std::optional<Frame> frame = reader_.next()) frames.push_back(std::move(*frame));
    return frames;
  }

  bool open = true;

 private:
  void push() override {
    reader_.add(unsent());
    sent(kept());
  }

  FrameReader reader_;
};

}  // namespace weft::launch::tree
