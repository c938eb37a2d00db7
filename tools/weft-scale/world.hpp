// What weft-scale makes up: time, and a network between machines.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <queue>
#include <string>
#include <utility>
#include <vector>

namespace weft::scale {

using Ns = std::uint64_t;
inline constexpr Ns kMs = 1'000'000;
inline constexpr Ns kSecond = 1'000'000'000;

/// What happens when. Of two things at one time the one that was added first comes first.
class Events {
 public:
  Ns now() const { return now_; }
  void at(Ns time, std::function<void()> what) { queue_.push({time, next_++, std::move(what)}); }
  void in(Ns time, std::function<void()> what) { at(now_ + time, std::move(what)); }
  /// Until nothing is left, or `enough` says so.
  template <class Enough>
  void run(Enough&& enough) {
    while (!queue_.empty() && !enough()) {
      const Event event = std::move(const_cast<Event&>(queue_.top()));  // moved from, and gone in the next line
      queue_.pop();
      now_ = event.time;
      event.what();
    }
  }

 private:
  struct Event {
    Ns time;
    std::uint64_t number;
    std::function<void()> what;
    bool operator<(const Event& other) const { return time != other.time ? time > other.time : number > other.number; }
  };
  std::priority_queue<Event> queue_;
  Ns now_ = 0;
  std::uint64_t next_ = 0;
};

struct Rates {
  double bytes_per_ns = 1.25;  // of each machine, in each direction
  Ns latency = 50'000;
};

struct Traffic {
  std::uint64_t messages = 0;
  std::uint64_t bytes = 0;
};

/// Machines with one adapter each, and no limit between these.
class Network {
 public:
  Network(Events& events, int machines, const Rates& rates)
      : events_(events), rates_(rates), ends_(static_cast<std::size_t>(machines)) {}

  /// Has `arrived` called when the last byte is there. Bytes of one machine go after one another, and come so.
  void send(int from, int to, std::size_t bytes, std::function<void()> arrived);
  /// From now on nothing comes to that machine, nor from it.
  void switch_off(int machine) { ends_[static_cast<std::size_t>(machine)].off = true; }
  /// Since the last time.
  Traffic take_traffic() { return std::exchange(all_, {}); }
  const Traffic& sent_by(int machine) const { return ends_[static_cast<std::size_t>(machine)].sent; }
  const Traffic& heard_by(int machine) const { return ends_[static_cast<std::size_t>(machine)].heard; }
  /// The most bytes that were on their way at a time.
  std::uint64_t most_on_the_way() const { return most_; }

 private:
  struct End {
    Ns out_free = 0;
    Ns in_free = 0;
    Traffic sent;
    Traffic heard;
    bool off = false;
  };

  Events& events_;
  Rates rates_;
  std::vector<End> ends_;
  Traffic all_;
  std::uint64_t on_the_way_ = 0;
  std::uint64_t most_ = 0;
};

}  // namespace weft::scale
