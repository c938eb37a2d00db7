// What the ways of large data share.
#pragma once

#include "msg/engine.hpp"

namespace weft::msg {

/// The message is received, or has failed, by that way.
void finish(Request& receive, Peer& peer, Path path) noexcept;
/// From `moved` on.
void by_two_copies(Request& receive, Peer& peer, Ticket& ticket) noexcept;
reach::Peer& reach_of(Peer& peer) noexcept;

/// What the peer has told, read once: it may change what it likes.
inline reach::Place place_told(const Peer& peer, const ToldPlace& told) noexcept {
  const ToldPlace once = told;
  if (!once.is_sound()) [[unlikely]] {
    damaged(peer, "the place of a message's data is none");
  }
  return once.place();
}

/// Whether these are the pieces of it that the sender means: `count` of them, from `at` on in its area, read to `list`.
inline void check_pieces(const Peer& peer, const Ticket& ticket, std::uint64_t at, std::uint32_t count,
                         const reach::Range* list) noexcept {
  if (ticket.pieces_check != check_of_pieces(at, count, ticket.packs, list)) [[unlikely]] {
    damaged(peer, "the list of a message's pieces is none");
  }
}

/// One copy by both sides (together.cpp). Whether the message goes so, which the receiver decides.
bool goes_together(const Request& receive, const Ticket& ticket) noexcept;
void begin_together(Request& receive, Peer& peer, Ticket& ticket) noexcept;
/// The sender has what it took of it left to write, or all is done.
void go_on_together(Request& receive, Peer& peer, Ticket& ticket) noexcept;
/// The sender's part, a turn of it: other messages have theirs between. Ends copying where there is nothing to take.
void go_on_with_receiver(Request& send) noexcept;
/// It waits for the next answer.
void end_copying(Request& send) noexcept;

}  // namespace weft::msg
