// What the job needs to know of a front end: OpenSHMEM, MPI, ... Several may be in one process; each tells of itself
// from its library's constructor, before any of its routines is called.
#pragma once

#include <cstdint>

#include "base/words.hpp"
#include "boot/job.hpp"
#include "job/node.hpp"
#include "job/tools.hpp"

namespace weft::job {

/// What a front end wants of the program's static data. One that wants a single copy for all PEs leaves it private and
/// moves what it wants itself, before main (record 0103).
enum class Statics : std::uint8_t {
  kPrivate,    // nothing: it stays where it is
  kSymmetric,  // each PE's lies in shared memory, at the same distance from the heap; it comes with a heap
};

/// What a front end takes of the job beside its records. Of several the job makes what any of them needs, once.
struct Needs {
  Statics statics = Statics::kPrivate;
  bool heap = false;            // a symmetric one
  bool network = false;         // PEs of other nodes are reached, in a job that has some
  bool agent = false;           // others are served while the PE computes (job/agent.hpp), also in a job of one node
  std::uint64_t own_bytes = 0;  // of its share of the PE's own area, the same on all PEs of a node
  std::uint64_t own_more = 0;   // as much besides, of addresses, as the system lets it have
  bool own_lent = false;        // the network reaches that area too (Node::own_remote), in a job that has one

  constexpr bool symmetric_memory() const { return heap || statics == Statics::kSymmetric; }
};

/// Functions that are null have nothing to do.
struct FrontEnd {
  boot::Interface interface;
  Needs needs = {};
  base::Words words = {};
  /// A name that its library exports, by which it is known whether the library was there from the start.
  const char* symbol = nullptr;
  Tools tools = {};
  /// The name of a routine of its own, for messages.
  const char* (*name_of)(CallNumber call) noexcept = nullptr;
  /// Told when the addresses of what this PE shares are settled, and again when they are once more.
  void (*settled)(const Node& node) noexcept = nullptr;
  /// Told what network there is, null in a job of one node, before anybody can reach this PE's memory by it.
  void (*opening)(transport::Transport* network) noexcept = nullptr;
  /// Whether this PE serves others instead of running main, and what it does then: it starts, serves until it is
  /// dismissed, and stops (serving.hpp). Null: all PEs run main.
  bool (*serves)(const Node& node) noexcept = nullptr;
  void (*serve)() noexcept = nullptr;
  /// Told when the front end stops and all have met for the last time: nobody serves others meanwhile, and the network
  /// is there still.
  void (*closing)() noexcept = nullptr;
  /// Told in a forked child, which is no PE: its calls end it with a line.
  void (*forked)() noexcept = nullptr;
  /// A sentence about why the program uses an address where nothing is, or that is closed; nullptr: nothing known.
  const char* (*why_fault)(std::uintptr_t at) noexcept = nullptr;
};

/// `front_end` stays where it is.
void add(const FrontEnd& front_end) noexcept;
const FrontEnd* front_end(boot::Interface interface) noexcept;

template <class Do>
void each_front_end(Do&& call) noexcept {
  for (int k = 0; k < boot::kInterfaces; ++k) {
    if (const FrontEnd* there = front_end(static_cast<boot::Interface>(k)); there != nullptr) {
      call(*there);
    }
  }
}

}  // namespace weft::job
