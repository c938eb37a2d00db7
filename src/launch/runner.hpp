// A job that runs: the event loop that ties the folders of this room together. start.cpp begins it, launch.cpp turns
// it, signals.cpp hears of PEs that end, and of the user; clean_up.cpp follows the last PE.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "doctor/examine.hpp"
#include "launch/hosts/fleet.hpp"
#include "launch/launch.hpp"
#include "launch/processes/crew.hpp"
#include "launch/processes/debuggers.hpp"
#include "launch/processes/foreground.hpp"
#include "launch/processes/replaced.hpp"
#include "launch/processes/signals.hpp"
#include "launch/rules/limits.hpp"
#include "launch/rules/watch.hpp"
#include "launch/streams/forward.hpp"
#include "launch/streams/input.hpp"
#include "launch/streams/poller.hpp"
#include "os/clock.hpp"

namespace weft::launch {

class Runner {
 public:
  explicit Runner(const Order& order);
  int run();

 private:
  /// A line of ours, behind the name by which we were called.
  void say(const std::string& text);
  int give_up(const std::string& why);
  bool over() const;
  void start_all();
  void start_elsewhere();
  void ended_elsewhere(int pe);
  void start_here();
  void report_binding(int pe, const cpu_set_t* cpus);
  void turn(bool wait = true);
  void take_fleet_event(const epoll_event& event);
  int timeout() const;
  void take_signals(std::uint64_t now);
  void stop_all();
  void open_debuggers(std::uint64_t now);
  void reap(std::uint64_t now);
  rules::OutOfMemory memory_state() const;
  void notice_broken_output();
  void act();
  void find_replaced(std::uint64_t now);
  void bury_held(std::uint64_t now);
  void report();
  void signal_all(int signal);
  void dismiss_fleet();
  void clean_up();
  void turn_output(std::uint64_t until);

  const Order& order_;
  int n_pes_;
  doctor::Shape shape_;  // before any PE could write to the header
  streams::Poller poller_;
  processes::Signals signals_;
  streams::Forward forward_;
  streams::Input input_;
  rules::Watch watch_;
  processes::Debuggers debuggers_;
  processes::Foreground foreground_;
  processes::Crew crew_;  // of this machine, or
  std::optional<processes::Replacements> replacements_;
  std::unique_ptr<hosts::Fleet> fleet_;  // elsewhere
  std::optional<std::uint64_t> kills_before_ = rules::out_of_memory_kills();
  std::uint64_t last_turn_ = os::now_ns();
  std::uint64_t longest_turn_ = 0;          // since we were last continued; long where we have been stopped meanwhile
  pid_t gdb_ = 0;                           // the PE that has our terminal
  std::optional<std::uint64_t> killed_at_;  // when PEs were last killed, or looked at after that
  bool impatient_ = false;                  // told to end while the last output waits for its reader
};

}  // namespace weft::launch
