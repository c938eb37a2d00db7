// What members on different nodes say to each other in one call.
//
// Messages of two members with one tag come in the order in which they were sent. A call receives all that it is sent,
// and the members make their calls in one order, so nothing tells messages of one call from those of the next, and of
// one step from those of the next, but their order.
#pragma once

#include <cstddef>

#include "sync/waiter.hpp"
#include "transport/tagged.hpp"

namespace weft::coll::across {

class Messages {
 public:
  Messages(transport::TaggedMessages& network, transport::Tag tag, const sync::WaitNote& note) noexcept
      : network_(&network), tag_(tag), note_(note) {}
  ~Messages() noexcept { wait(); }
  Messages(const Messages&) = delete;
  Messages& operator=(const Messages&) = delete;

  // Both begin; wait() ends. Where there is nothing to say, nothing is said, and the receiver knows.
  void send(int pe, const void* from, std::size_t bytes) noexcept {
    if (bytes > 0) {
      network_->send(pe, tag_, from, bytes, pending_);
    }
  }
  void receive(int pe, void* to, std::size_t bytes) noexcept {
    if (bytes > 0) {
      network_->receive(pe, tag_, to, bytes, pending_);
    }
  }

  /// All other PEs of this node wait for this one as long as it waits for messages: it looks for them instead of
  /// leaving the processor to those, which would have nothing to do there.
  void others_wait() noexcept { others_wait_ = true; }
  bool done() const noexcept { return pending_.done(); }
  void wait() noexcept;

 private:
  transport::TaggedMessages* network_;
  transport::Tag tag_;
  sync::WaitNote note_;
  transport::Pending pending_;
  bool others_wait_ = false;
};

}  // namespace weft::coll::across
