// What the leaves have in common.
#pragma once

#include <sched.h>

#include <cstdio>

#include "transport/transport.hpp"

namespace weft::transport {

/// Lets the network go on, again and again, until done(). Not for long: an operation cannot begin or return yet.
template <class Done>
void poll_until(Transport& network, const Setup& setup, Done&& done) noexcept {
  constexpr int kPollsBeforeYield = 16;
  for (int polls = 0; !done(); ++polls) {
    network.progress();
    setup.polled();
    if (polls > kPollsBeforeYield) {
      ::sched_yield();  // the peer may need this processor
    }
  }
}

/// The end of what a leaf exports under kOpenFunction: `made`, which is null where there is no memory, gets ready. It
/// lives as long as the process: peers may still be taking their last answers from it when this PE leaves.
template <class Leaf>
Transport* ready(Leaf* made, char* why, std::size_t room) noexcept {
  if (made == nullptr) {
    (void)std::snprintf(why, room, "no memory");
    return nullptr;
  }
  if (const auto prepared = made->prepare(); !prepared) {
    (void)std::snprintf(why, room, "%s", prepared.error().text());
    return nullptr;
  }
  return made;
}

}  // namespace weft::transport
