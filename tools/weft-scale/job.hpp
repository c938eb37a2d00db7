// A job on machines that are made up: oshrun's and weft-agent's code says who tells whom what, and takes what comes.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "boot/job.hpp"
#include "launch/hosts/errand.hpp"
#include "launch/hosts/mirror.hpp"
#include "launch/tree/below.hpp"
#include "launch/tree/between.hpp"
#include "launch/tree/cards.hpp"
#include "launch/tree/line.hpp"
#include "launch/tree/muster.hpp"
#include "world.hpp"

namespace weft::scale {

struct Shape {
  int nodes = 1000;
  int pes = 128;  // of each
  int fanout = 16;
  Ns silence = 30 * kSecond;

  int n_pes() const { return nodes * pes; }
};

/// What a machine takes for what is not simulated.
struct Costs {
  Ns ssh = 300 * kMs;     // until an agent runs
  Ns prepare = 10 * kMs;  // what an agent finds out of its machine
  Ns fork = kMs / 2;      // each PE, one after another
  Ns begin = 20 * kMs;    // a PE, until it has filled in its card
};

/// An end of the pipes between two machines.
class Pipe final : public launch::tree::Line {
 public:
  Pipe(Events& events, Network& network, int from, int to) : events_(events), network_(network), from_(from), to_(to) {}

  /// The two ends, and who looks at what comes.
  static void join(Pipe& one, std::function<void()> ones_turn, Pipe& other, std::function<void()> others_turn);
  bool is_open() const override { return open_; }
  /// The other end finds it closed, behind what has been said.
  void close();

 private:
  void push() override;

  Events& events_;
  Network& network_;
  int from_;
  int to_;
  Pipe* other_ = nullptr;
  std::function<void()> turn_;
  bool open_ = false;
};

class Job;

/// The agents that a machine has started.
class Children final : public launch::tree::Below {
 public:
  Children(Job& job, int machine, std::function<void()> turn) : job_(job), machine_(machine), turn_(std::move(turn)) {}
  /// Those of the nodes from `first` to `end`; each is told the errand when it runs.
  void start(int first, int end);
  /// This machine's agent has gone.
  void leave();

 private:
  void run(std::size_t child);
  void cut(std::size_t child) override { lines_[child]->close(); }
  std::optional<std::string> why_ended(std::size_t child, Ns now) override;

  Job& job_;
  int machine_;
  std::function<void()> turn_;
  std::vector<std::unique_ptr<Pipe>> lines_;
};

/// weft-agent of a node.
class Agent {
 public:
  Agent(Job& job, int node, int parent);

  void turn();
  void look();

  Pipe up;
  bool signalled = false;
  bool left = false;

 private:
  void obey(const launch::tree::Frame& frame);
  void take_errand(std::string_view payload);
  void start_pes();
  void give_cards();
  void leave(const std::string& why);

  Job& job_;
  int node_;
  Children below_;
  launch::tree::Between place_;
  launch::tree::Cards cards_;  // early: what a thousand agents keep until all has come is much in one process
};

/// oshrun, and all that is the same for all.
class Job {
 public:
  Job(Events& events, Network& network, const Shape& shape, const Costs& costs);
  ~Job();
  Job(const Job&) = delete;
  Job& operator=(const Job&) = delete;

  /// From oshrun's start, each until the last node has come so far.
  struct Started {
    Ns agents = 0;  // run and know their errand
    Ns ready = 0;   // oshrun has heard so of all
    Ns pes = 0;     // oshrun has heard of all PEs
    Ns cards = 0;   // every node has all cards
  };
  Started start();
  /// Nothing happens for so long.
  void idle(Ns time);
  /// From the moment in which the machine is off.
  struct Death {
    int below = 0;   // nodes that it was the way to
    Ns noticed = 0;  // oshrun has heard of it
    Ns told = 0;     // all that can be reached have been told to end their PEs
    Ns left = 0;     // those below it have given up
  };
  Death switch_off(int node);

  /// All nodes had the cards that were given.
  bool cards_are_right() const;
  std::size_t errand_bytes() const { return packed_.size(); }
  std::size_t largest_cards() const { return largest_cards_; }
  std::size_t largest_records() const { return largest_records_; }

  // For the parts above.
  Events& events;
  Network& network;
  const Shape shape;
  const Costs costs;
  int launcher() const { return shape.nodes; }  // its machine
  Agent& agent(int node) { return *agents_[static_cast<std::size_t>(node)]; }
  bool exists(int node) const { return agents_[static_cast<std::size_t>(node)] != nullptr; }
  Agent& make_agent(int node, int parent);
  void agent_has_errand() { started_.agents = ++n_agents_ == shape.nodes ? events.now() : 0; }
  void agent_has_cards() { started_.cards = ++n_with_cards_ == shape.nodes ? events.now() : 0; }
  const std::string& errand() const { return packed_; }
  const std::vector<int>& pes_of(std::size_t node) const { return errand_.shares[node].pes; }
  std::string cards_of(int node);
  std::string records_of(int node);
  boot::PeerCard* table() { return got_.data(); }

 private:
  void make_up();
  void turn();
  void take(const launch::tree::Frame& frame);
  void look();

  launch::hosts::Errand errand_;
  std::string packed_;
  std::vector<boot::PeerCard> given_;
  std::vector<boot::PeerCard> got_;
  boot::JobHeader* node_file_ = nullptr;  // of any node: they are alike
  launch::processes::Job mirror_;
  Children below_;
  launch::tree::Muster muster_;
  std::vector<std::unique_ptr<Agent>> agents_;
  Started started_;
  int n_agents_ = 0;
  int n_started_ = 0;
  int n_with_cards_ = 0;
  int lost_first_ = -1;
  int lost_end_ = -1;
  Ns lost_at_ = 0;
  std::size_t largest_cards_ = 0;
  std::size_t largest_records_ = 0;
  bool over_ = false;
};

}  // namespace weft::scale
