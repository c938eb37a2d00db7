// The agents that one process of a job's tree starts itself, and through them all below. Used by oshrun and by each
// agent: what comes up from below is handed out as frames, a host that is lost as well.
#pragma once

#include <sys/types.h>

#include <csignal>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "launch/hosts/errand.hpp"
#include "launch/hosts/link.hpp"
#include "launch/streams/poller.hpp"

namespace weft::launch::hosts {

/// Nodes that follow one another: the first one's agent is ours to start, the others are below it.
struct Branch {
  int first = 0;
  int end = 0;
};

/// The nodes from `first` to `end` as at most `fanout` branches of much the same size.
std::vector<Branch> branches(int first, int end, int fanout);

/// How the agent on a host is called: the words of a command. `ssh` is a program with arguments.
std::vector<std::string> agent_command(const std::vector<std::string>& ssh, const std::string& host,
                                       const std::string& agent);

class Tree {
 public:
  /// Between looks, where nothing else needs more of them.
  static constexpr std::uint64_t kLookInterval = 500'000'000;  // ns

  /// `reset_signals` must outlive the tree, and be filled in when agents are started.
  Tree(streams::Poller& poller, const sigset_t& reset_signals) : poller_(poller), reset_(reset_signals) {}

  /// Starts the agents of the nodes from `first` to `end` and tells them what to do. `name` is ours, for messages.
  void start(const Errand& errand, int first, int end, std::uint64_t now);

  /// To one node or all that are below us.
  void send(FrameKind kind, std::uint32_t node, std::string_view payload = {});
  void flush();

  // Events.
  void readable(std::uint32_t child) { children_[child]->link.readable(); }
  void writable(std::uint32_t child) { children_[child]->link.writable(); }
  void errors_readable(std::uint32_t child);
  bool child_ended(pid_t pid, int wait_status);  // false: none of ours
  /// Time has passed: says that we are here, and looks who has not. To be called each `interval` (ns).
  void look(std::uint64_t now, std::uint64_t interval = kLookInterval);
  std::optional<std::uint64_t> next_look() const;
  /// We, or all, were stopped for a while.
  void forget_silence();

  /// The next frame from below.
  std::optional<Frame> next(std::uint64_t now);
  /// From now on an agent that leaves has done its work.
  void finish() { finishing_ = true; }
  bool all_gone() const;

 private:
  struct Child {
    Child(streams::Poller& poller, std::uint32_t which) : link(poller, which) {}
    Branch nodes;
    std::string host;
    std::string command;  // its first word, for messages
    pid_t pid = -1;
    int err = -1;
    std::string said;  // on stderr, from its last line on
    Link link;
    std::string given_up;       // why it left, in its own words
    std::optional<int> status;  // as waitpid has it, when it has ended
    std::uint64_t closed_at = 0;
    bool lost = false;
  };
  void start_child(Child& child, const Errand& errand, std::uint64_t now);
  void tell(Child& child, const std::string& why);
  void lose(Child& child, const std::string& why);
  void look_at(Child& child, std::uint64_t now);
  void listen_to(Child& child, std::uint64_t now, std::uint64_t interval);
  std::string why_gone(const Child& child) const;
  void pass_on_errors(Child& child, bool all);

  streams::Poller& poller_;
  const sigset_t& reset_;
  std::uint64_t silence_ = 0;
  std::uint64_t last_look_ = 0;
  bool finishing_ = false;
  std::vector<std::unique_ptr<Child>> children_;
  std::vector<Frame> own_;  // what we tell ourselves: hosts lost, lines of their ssh
};

}  // namespace weft::launch::hosts
