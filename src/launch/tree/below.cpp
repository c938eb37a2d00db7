#include "launch/tree/below.hpp"

#include <algorithm>
#include <utility>

namespace weft::launch::tree {

void Below::add(const Branch& nodes, Line& line) { children_.push_back({nodes, &line}); }

void Below::send(FrameKind kind, std::uint32_t node, std::string_view payload) {
  for (const Child& child : children_) {
    const bool is_below = node == kAllNodes || child.nodes.holds(static_cast<int>(node));
    if (is_below && !child.lost) child.line->send(kind, node, payload);
  }
}

void Below::tell(std::size_t child, const std::string& line) {
  own_.push_back({FrameKind::kSay, static_cast<std::uint32_t>(children_[child].nodes.first), line});
}

void Below::lose(std::size_t which, const std::string& why) {
  Child& child = children_[which];
  if (std::exchange(child.lost, true)) return;
  cut(which);
  if (finishing_) return;
  Packer payload;
  payload.put(child.nodes.first).put(child.nodes.end).text(why);
  own_.push_back({FrameKind::kLost, static_cast<std::uint32_t>(child.nodes.first), payload.bytes()});
}

// One whose line has ended is next()'s, which hears its last words first.
void Below::listen_to(std::size_t which, std::uint64_t now, std::uint64_t interval) {
  const Child& child = children_[which];
  if (child.lost || !child.line->is_open()) return;
  child.line->beat(now);
  const std::uint64_t silent = child.line->silence(now, interval);
  // Who starts an agent has limits of its own for the time until it answers.
  if (silence_ == 0 || !child.line->greeted() || silent < silence_) return;
  lose(which, "has not answered for " + std::to_string(silent / 1'000'000'000) +
                  " s (--link-timeout); the host, the network or its weft-agent has stopped");
}

void Below::look(std::uint64_t now, std::uint64_t interval) {
  last_look_ = now;
  for (std::size_t child = 0; child < children_.size(); ++child) listen_to(child, now, interval);
}

std::optional<std::uint64_t> Below::next_look() const {
  const bool waits = std::any_of(children_.begin(), children_.end(), [](const Child& child) { return !child.lost; });
  if (!waits) return std::nullopt;
  return last_look_ + kLookInterval;
}

void Below::forget_silence() {
  for (const Child& child : children_) child.line->forget_silence();
}

std::optional<Frame> Below::next(std::uint64_t now) {
  for (std::size_t which = 0; which < children_.size(); ++which) {
    Child& child = children_[which];
    if (child.lost) continue;
    while (std::optional<Frame> frame = child.line->next()) {
      if (frame->kind != FrameKind::kGivenUp) return frame;
      child.given_up = frame->payload;
    }
    if (!child.line->problem().empty()) {
      lose(which, child.line->problem());
    } else if (!child.line->is_open()) {
      if (const std::optional<std::string> why = why_ended(which, now)) lose(which, *why);
    }
  }
  if (own_.empty()) return std::nullopt;
  Frame frame = std::move(own_.front());
  own_.erase(own_.begin());
  return frame;
}

bool Below::all_gone() const {
  return std::all_of(children_.begin(), children_.end(), [](const Child& child) { return !child.line->is_open(); });
}

}  // namespace weft::launch::tree
