// The PEs of a job as oshrun has them that starts them on several hosts: through agents. What the agents tell becomes
// what Watch and Forward also hear of PEs on this machine.
#pragma once

#include <sys/types.h>

#include <csignal>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "launch/hosts/errand.hpp"
#include "launch/hosts/feed.hpp"
#include "launch/hosts/tree.hpp"
#include "launch/processes/job.hpp"
#include "launch/rules/watch.hpp"
#include "launch/streams/forward.hpp"
#include "launch/streams/poller.hpp"
#include "launch/tree/muster.hpp"

namespace weft::launch::hosts {

class Fleet {
 public:
  struct Owner {
    streams::Poller& poller;
    streams::Forward& forward;
    rules::Watch& watch;
    std::function<void(int pe)> pe_ended;
    command::Called called = {};
  };
  /// `mirror` is what make_mirror has made.
  Fleet(Owner owner, const Errand& errand, const processes::Job& mirror, const sigset_t& reset_signals);
  ~Fleet();
  Fleet(const Fleet&) = delete;
  Fleet& operator=(const Fleet&) = delete;

  void start(std::uint64_t now) { tree_.start(errand_, 0, errand_.n_nodes(), now); }
  /// Takes over the descriptor from which comes what PEs are to read.
  void read_input_from(int fd);

  // Events.
  void link_readable(std::uint32_t which) { tree_.readable(which); }
  void link_writable(std::uint32_t which) { tree_.writable(which); }
  void link_errors(std::uint32_t which) { tree_.errors_readable(which); }
  void input_readable();
  bool child_ended(pid_t pid, int wait_status) { return tree_.child_ended(pid, wait_status); }
  /// Deals with what has come from the agents, and with the time that has passed. After all events.
  void take_news(std::uint64_t now);
  std::optional<std::uint64_t> next_look() const { return tree_.next_look(); }

  /// To every PE.
  void signal(int number);
  /// We are about to be stopped, or have just been.
  void pause();
  /// We go on, after `stopped` ns in which nobody heard of us.
  void continued(std::uint64_t stopped);
  /// All PEs that there will be have been started.
  bool all_started() const { return started_ == nodes_.size(); }

  /// The job is over: agents end what is left on their hosts and leave.
  void finish();
  bool all_gone() const { return tree_.all_gone(); }

 private:
  struct Node {
    std::int64_t clock = 0;         // added to its times gives ours
    std::uint64_t owed = 0;         // bytes of output that it does not know to be passed on
    std::uint64_t input_taken = 0;  // bytes
    bool output_closed[2] = {false, false};
  };
  void take(const Frame& frame, std::uint64_t now);
  void take_ready(std::uint32_t node, Unpacker from, std::uint64_t now);
  void take_output(std::uint32_t node, Unpacker from, std::uint64_t now);
  void take_end(std::uint32_t node, Unpacker from, std::uint64_t now);
  void take_lost(Unpacker from, std::uint64_t now);
  void say_of(std::uint32_t node, std::string_view text);
  void tell_passed_on();
  void poll_input();
  bool is_here(std::uint32_t node, int pe) const;
  const std::string& host(std::uint32_t node) const { return errand_.shares[node].host; }

  Owner owner_;
  const Errand& errand_;
  processes::Job mirror_;
  Tree tree_;
  std::vector<Node> nodes_;
  std::vector<std::uint32_t> node_of_;  // of each PE
  tree::Muster muster_;
  std::size_t started_ = 0;
  std::uint64_t stopped_ = 0;  // ns, the longest time
  bool told_broken_[2] = {false, false};
  int input_ = -1;
  bool input_polled_ = false;
  std::uint64_t input_sent_ = 0;
};

}  // namespace weft::launch::hosts
