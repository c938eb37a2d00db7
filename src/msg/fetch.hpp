// What the ways of large data share.
#pragma once

#include <algorithm>

#include "msg/engine.hpp"

namespace weft::msg {

/// How data goes through a stage, the same at both sides.
struct Pieces {
  std::uint64_t bytes;  // of the data
  std::uint32_t bits;   // of a piece's size
  std::uint32_t begin;  // where the first piece lies in the stage

  std::uint64_t count() const noexcept { return (bytes + each() - 1) >> bits; }
  std::uint64_t room() const noexcept { return kStageBytes >> bits; }
  std::uint64_t at(std::uint64_t piece) const noexcept { return (begin + from(piece)) % kStageBytes; }  // in the stage
  std::uint64_t from(std::uint64_t piece) const noexcept { return piece << bits; }                      // in the data
  // No piece lies over the stage's end.
  bool lie_in_stage() const noexcept { return begin < kStageBytes && begin % each() == 0; }
  std::size_t size(std::uint64_t piece) const noexcept {
    return static_cast<std::size_t>(std::min(each(), bytes - from(piece)));
  }

 private:
  std::uint64_t each() const noexcept { return std::uint64_t{1} << bits; }
};

/// The message is received, or has failed, by that way.
void finish(Request& receive, Peer& peer, Path path) noexcept;
/// From `moved` on.
void by_two_copies(Request& receive, Peer& peer, Ticket& ticket) noexcept;
reach::Peer& reach_of(Peer& peer) noexcept;
/// By one copy, of data in parts on either side.
reach::Moved read_parts(Request& receive, Peer& peer, const Ticket& ticket) noexcept;

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
