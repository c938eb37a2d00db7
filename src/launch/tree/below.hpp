// The agents that one process of the tree has started itself, and through them all below: frames find their way down,
// what comes up is handed out, and who is silent for too long is lost. What an agent is, a process or one that is made
// up, the class that inherits this knows.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "launch/tree/branches.hpp"
#include "launch/tree/line.hpp"

namespace weft::launch::tree {

class Below {
 public:
  /// Between looks, where nothing else needs more of them.
  static constexpr std::uint64_t kLookInterval = 500'000'000;  // ns

  Below(const Below&) = delete;
  Below& operator=(const Below&) = delete;

  /// To one node or all that are below us.
  void send(FrameKind kind, std::uint32_t node, std::string_view payload = {});
  /// The next frame from below. Also what we find ourselves: a host that is lost, a line for the user.
  std::optional<Frame> next(std::uint64_t now);
  /// Time has passed: says that we are here, and looks who has not. To be called each `interval` (ns).
  void look(std::uint64_t now, std::uint64_t interval = kLookInterval);
  std::optional<std::uint64_t> next_look() const;
  /// We, or all, were stopped for a while.
  void forget_silence();
  /// From now on an agent that leaves has done its work.
  void finish() { finishing_ = true; }
  bool all_gone() const;

 protected:
  Below() = default;
  virtual ~Below() = default;

  /// Nobody is lost who is silent for less than this (ns); 0: nobody ever is.
  void bear_silence(std::uint64_t silence) { silence_ = silence; }
  /// The line, which must stay, leads to the agents of these nodes. They are counted as they are added.
  void add(const Branch& nodes, Line& line);
  const Branch& nodes(std::size_t child) const { return children_[child].nodes; }
  /// What an agent has said of its leaving; empty: nothing.
  const std::string& given_up(std::size_t child) const { return children_[child].given_up; }
  /// The agent is out of reach, and those below it: told as a frame, unless all is over.
  void lose(std::size_t child, const std::string& why);
  /// A line for the user about it.
  void tell(std::size_t child, const std::string& line);

  /// It has just been lost: whatever of it is ours is to go.
  virtual void cut(std::size_t child) = 0;
  /// Why a line has ended; nothing as long as that may still show.
  virtual std::optional<std::string> why_ended(std::size_t child, std::uint64_t now) = 0;

 private:
  struct Child {
    Branch nodes;
    Line* line;
    bool lost = false;
    std::string given_up = {};
  };
  void listen_to(std::size_t child, std::uint64_t now, std::uint64_t interval);

  std::vector<Child> children_;
  std::vector<Frame> own_;  // what we tell ourselves
  std::uint64_t silence_ = 0;
  std::uint64_t last_look_ = 0;
  bool finishing_ = false;
};

}  // namespace weft::launch::tree
