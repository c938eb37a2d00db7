#include "launch/tree/line.hpp"

#include <algorithm>

namespace weft::launch::tree {

void Line::begin(std::uint64_t now) {
  listened_at_ = looked_at_ = sent_at_ = now;
  kept_ = greeting();
  sent_ = 0;
  push();
}

void Line::send(FrameKind kind, std::uint32_t node, std::string_view payload) {
  if (!is_open()) return;
  put_frame(kept_, kind, node, payload);
  sent_at_ = looked_at_;
  push();
}

void Line::sent(std::size_t bytes) {
  sent_ += bytes;
  if (sent_ == kept_.size()) drop_unsent();
}

void Line::drop_unsent() {
  kept_.clear();
  sent_ = 0;
}

void Line::heard(std::string_view bytes) {
  silence_ = 0;
  ++reads_;
  reader_.add(bytes);
}

std::optional<Frame> Line::next() {
  std::optional<Frame> frame = reader_.next();
  while (frame && frame->kind == FrameKind::kBeat) frame = reader_.next();
  return frame;
}

void Line::beat(std::uint64_t now) {
  looked_at_ = now;
  if (is_open() && now >= sent_at_ + kBeat && !has_kept()) send(FrameKind::kBeat, kAllNodes);
}

std::uint64_t Line::silence(std::uint64_t now, std::uint64_t interval) {
  silence_ += std::min(now - std::min(now, listened_at_), interval);
  listened_at_ = now;
  return silence_;
}

}  // namespace weft::launch::tree
