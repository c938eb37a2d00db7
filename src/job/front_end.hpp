// What the job needs to know of a front end: OpenSHMEM, MPI, ... Several may be in one process; each tells of itself
// from its library's constructor, before any of its routines is called.
#pragma once

#include <cstdint>

#include "boot/job.hpp"
#include "job/node.hpp"

namespace weft::job {

struct FrontEnd {
  boot::Interface interface;
  /// The name of a routine of its own, for messages.
  const char* (*name_of)(CallNumber call) noexcept;
  /// Told when the addresses of what this PE shares are settled, and again when they are once more.
  void (*settled)(const Node& node) noexcept;
  /// Told in a forked child, which is no PE: its calls end it with a line.
  void (*forked)() noexcept;
  /// A sentence about why the program uses an address next to null; nullptr: nothing known.
  const char* (*why_null)(std::uintptr_t at) noexcept;
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
