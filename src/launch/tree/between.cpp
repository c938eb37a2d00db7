#include "launch/tree/between.hpp"

namespace weft::launch::tree {

void Between::place(int node, std::uint64_t silence) {
  me_ = node;
  silence_ = silence;
}

bool Between::pass_down(const Frame& frame) {
  below_.send(frame.kind, frame.node, frame.payload);
  return frame.node == kAllNodes || static_cast<int>(frame.node) == me_;
}

void Between::pass_up(std::uint64_t now) {
  while (const std::optional<Frame> frame = below_.next(now)) up_.send(frame->kind, frame->node, frame->payload);
}

std::optional<std::uint64_t> Between::look(std::uint64_t now, std::uint64_t interval) {
  below_.look(now, interval);
  up_.beat(now);
  const std::uint64_t silent = up_.silence(now, interval);
  const bool paused = up_.reads() == paused_at_;  // nothing has come since we were told not to wonder
  if (silence_ == 0 || paused || silent < silence_) return std::nullopt;
  return silent;
}

}  // namespace weft::launch::tree
