// An alltoall of small blocks between domains: the leaders pass on what is for others.
#pragma once

#include "coll/across/speakers.hpp"
#include "coll/across/stages.hpp"

namespace weft::coll::across {

/// The blocks of all members here for all members elsewhere, and back. In round k a leader gives the one 2^k domains
/// further all that has still to go so far, and some more: as many messages as there are rounds, where each member
/// would have one for each member elsewhere; but blocks travel several times.
class Relay {
 public:
  /// The same on all members.
  static bool is_for(const group::Span& span, const Alltoall& call) noexcept;
  /// Of the leader: memory.
  static std::size_t need(const group::Span& span, const Alltoall& call) noexcept;

  /// Of the leader, and a call that lasts as long as this. All members of the domain have to be ready.
  Relay(const Party& party, const Alltoall& call, Messages& messages) noexcept;
  /// Begins the messages of the next round, when those of the one before are complete. False: there is none, and the
  /// blocks are in the members' targets.
  bool step() noexcept;

 private:
  std::size_t bytes(int from, int to) const noexcept;
  std::byte* slot(int distance) const noexcept;  // of what goes so far
  std::byte* leaving() const noexcept;
  std::byte* coming() const noexcept;
  void collect() noexcept;
  void deliver() noexcept;
  void take_in() noexcept;
  /// Calls body(distance, bytes) for each slot that leaves that domain in this round.
  template <class Body>
  void each(int holder, Body&& body) const noexcept;

  const Party& party_;
  const Alltoall& call_;
  Messages& messages_;
  Speakers speakers_;
  std::size_t most_;  // bytes of a slot
  int reach_ = 0;     // how far what leaves in this round goes; 0: it is the first to come
  Scratch room_;
};

}  // namespace weft::coll::across
