// The agents below a process of the tree as processes: ssh and its pipes. Used by oshrun and by each agent.
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
#include "launch/tree/below.hpp"

namespace weft::launch::hosts {

/// How the agent on a host is called: the words of a command. `ssh` is a program with arguments.
std::vector<std::string> agent_command(const std::vector<std::string>& ssh, const std::string& host,
                                       const std::string& agent);

class Tree final : public tree::Below {
 public:
  /// `reset_signals` must outlive the tree, and be filled in when agents are started.
  Tree(streams::Poller& poller, const sigset_t& reset_signals) : poller_(poller), reset_(reset_signals) {}

  /// Starts the agents of the nodes from `first` to `end` and tells them what to do.
  void start(const Errand& errand, int first, int end, std::uint64_t now);
  void flush();

  // Events.
  void readable(std::uint32_t child) { children_[child]->link.readable(); }
  void writable(std::uint32_t child) { children_[child]->link.writable(); }
  void errors_readable(std::uint32_t child);
  bool child_ended(pid_t pid, int wait_status);  // false: none of ours

 private:
  struct Child {
    Child(streams::Poller& poller, std::uint32_t which) : link(poller, which) {}
    std::string host;
    std::string command;  // its first word, for messages
    pid_t pid = -1;
    int err = -1;
    std::string said;  // on stderr, from its last line on
    Link link;
    std::optional<int> status;  // as waitpid has it, when it has ended
    std::uint64_t closed_at = 0;
  };
  void start_child(std::uint32_t which, const Errand& errand, std::uint64_t now);
  void cut(std::size_t child) override;
  std::optional<std::string> why_ended(std::size_t child, std::uint64_t now) override;
  std::string why_gone(std::size_t child) const;
  void pass_on_errors(std::size_t child, bool all);

  streams::Poller& poller_;
  const sigset_t& reset_;
  std::vector<std::unique_ptr<Child>> children_;
};

}  // namespace weft::launch::hosts
