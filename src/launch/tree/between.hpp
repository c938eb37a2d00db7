// An agent's place in the tree, between who has started it and those that it has started.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "launch/tree/below.hpp"
#include "launch/tree/line.hpp"

namespace weft::launch::tree {

class Between {
 public:
  /// Both must stay.
  Between(Line& up, Below& below) : up_(up), below_(below) {}

  /// The node that we are the agent of, and how long we bear to hear nothing (ns); 0: for ever.
  void place(int node, std::uint64_t silence);
  /// What is told of this node.
  void tell(FrameKind kind, std::string_view payload = {}) { up_.send(kind, static_cast<std::uint32_t>(me_), payload); }
  /// A frame that has come from above goes to those below that it is for. False: it is not for us.
  bool pass_down(const Frame& frame);
  /// All that has come from below, or is found there, goes up.
  void pass_up(std::uint64_t now);
  /// We were told that all will be stopped: silence says nothing until something comes.
  void pause() { paused_at_ = up_.reads(); }
  /// To be called each `interval` (ns). For how long we have heard nothing, where that is too long.
  std::optional<std::uint64_t> look(std::uint64_t now, std::uint64_t interval);

 private:
  Line& up_;
  Below& below_;
  int me_ = -1;
  std::uint64_t silence_ = 0;
  std::uint64_t paused_at_ = 0;  // of up_.reads()
};

}  // namespace weft::launch::tree
