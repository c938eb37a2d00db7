// Large messages by one copy that both sides make: the receiver reads pieces from the first one on, and a sender that
// waits writes pieces from the last one back. A sender that does something else takes none, and costs nothing.
#include <algorithm>

#include "msg/claims.hpp"
#include "msg/fetch.hpp"

namespace weft::msg {
namespace {

Engine& g = g_engine;

// Below it the sender comes too late to be of use.
constexpr std::uint64_t kLeastTogether = std::uint64_t{64} << 10;
// Of several pages, as each costs something; and one side may wait for the other's last one.
constexpr std::uint64_t kPiece = std::uint64_t{16} << 10;
// In `written`: the sender takes no more, and has not written all that it took.
constexpr std::uint64_t kRefused = std::uint64_t{1} << 63;

std::uint32_t pieces_of(std::uint64_t bytes) noexcept {
  return static_cast<std::uint32_t>(std::min<std::uint64_t>((bytes + kPiece - 1) / kPiece, INT32_MAX));
}
// Where pieces of so many begin or end; the last one has all that is left.
std::uint64_t at(std::uint32_t piece, std::uint32_t pieces, std::uint64_t bytes) noexcept {
  return piece == pieces ? bytes : piece * kPiece;
}

// False: no more can be read. What it means is the receive's.
bool read(Request& receive, Peer& peer, const reach::Place& from, std::uint64_t begin, std::uint64_t end) noexcept {
  const reach::Moved moved =
      reach_of(peer).read(static_cast<std::byte*>(receive.data.at) + begin, from, begin, end - begin);
  if (moved.outcome == reach::Outcome::kDone && moved.bytes == end - begin) [[likely]] {
    return true;
  }
  if (moved.outcome == reach::Outcome::kUnmapped) {
    receive.status.fault = Fault::kTheirMemory;
  } else if (moved.outcome == reach::Outcome::kOwnMissing) {
    receive.status.fault = Fault::kOwnMemory;
  } else {
    receive.is_refused = true;
  }
  return false;
}

void end(Request& receive, Peer& peer, Ticket& ticket) noexcept {
  g.self.take_back(receive.target);
  receive.pieces = 0;
  if (receive.is_refused) {
    by_two_copies(receive, peer, ticket);
  } else {
    finish(receive, peer, Path::kOneCopy);
  }
}

// True: the sender writes nothing of this message any more.
bool has_written(Request& receive, Peer& peer, Ticket& ticket) noexcept {
  const std::uint32_t theirs = Claims(ticket.claims, receive.pieces).last_ones();
  // Acquire: what is written is there.
  const std::uint64_t written = ticket.written.load(std::memory_order_acquire);
  if ((written & ~kRefused) > theirs) {
    damaged(peer, "it has written pieces that it did not take");
  }
  if ((written & kRefused) == 0) {
    return written == theirs;
  }
  // What is left of it is this side's; why it cannot be written this side finds too.
  const bool whole = receive.status.fault != Fault::kNone || receive.is_refused;
  if (!whole) {
    (void)read(receive, peer, ticket.place, receive.moved, receive.wanted);
  }
  return true;
}

}  // namespace

// With a processor each: who shares one would take it from the other. Where data goes both ways each side has its own
// to copy.
bool goes_together(const Request& receive, const Ticket& ticket) noexcept {
  return receive.wanted >= kLeastTogether && !receive.both_directions && !g.node->crowded &&
         receive.data.layout == nullptr && ticket.packs == 0 && ticket.n_ranges == 0 &&
         ticket.place.bytes >= receive.wanted;
}

void begin_together(Request& receive, Peer& peer, Ticket& ticket) noexcept {
  receive.target = g.self.show(receive.data.at, receive.wanted, true);
  receive.pieces = pieces_of(receive.wanted);
  receive.is_refused = false;
  ticket.target = receive.target;
  // Relaxed: the answer publishes them.
  ticket.claims.store(0, std::memory_order_relaxed);
  ticket.written.store(0, std::memory_order_relaxed);
  answer(peer, ticket, Answer::kTogether);
  const reach::Place from = ticket.place;
  Claims claims(ticket.claims, receive.pieces);
  for (Claims::Run run = claims.take_first(); !run.empty(); run = claims.take_first()) {
    const std::uint64_t until = at(run.end, receive.pieces, receive.wanted);
    if (receive.moved != at(run.begin, receive.pieces, receive.wanted)) {
      damaged(peer, "it has taken pieces that are not its own");
    }
    if (!read(receive, peer, from, receive.moved, until)) {
      claims.close();
      break;
    }
    receive.moved = until;
  }
  if (has_written(receive, peer, ticket)) {
    end(receive, peer, ticket);
    return;
  }
  // Relaxed: only done() is looked at without the guard.
  receive.state.store(Request::State::kMoving, std::memory_order_relaxed);
  g.fetching.append(receive);
}

void go_on_together(Request& receive, Peer& peer, Ticket& ticket) noexcept {
  if (has_written(receive, peer, ticket)) {
    g.fetching.take_out(receive);
    end(receive, peer, ticket);
  }
}

void copy_together(Request& send) noexcept {
  Ticket& ticket = *send.ticket;
  Peer& peer = peer_of(send.pe);
  // Read once: the receiver may change it, and finds other bytes then.
  const reach::Place target = ticket.target;
  const std::uint64_t bytes = target.bytes;
  if (bytes > send.data.bytes || send.data.layout != nullptr) {
    damaged(peer, "it wants more of a message than there is");
  }
  // Relaxed: only this side writes there now.
  std::uint64_t written = ticket.written.load(std::memory_order_relaxed);
  reach::Peer& reach = reach_of(peer);
  if ((written & kRefused) != 0 || reach.way(reach::Direction::kWrite) == reach::kNoWay) {
    return;
  }
  const std::uint32_t pieces = pieces_of(bytes);
  Claims claims(ticket.claims, pieces);
  for (Claims::Run run = claims.take_last(); !run.empty(); run = claims.take_last()) {
    const std::uint64_t begin = at(run.begin, pieces, bytes);
    const std::uint64_t size = at(run.end, pieces, bytes) - begin;
    const reach::Moved moved = reach.write(target, begin, static_cast<const std::byte*>(send.data.at) + begin, size);
    if (moved.outcome != reach::Outcome::kDone || moved.bytes != size) {
      // Release: it writes nothing behind this.
      ticket.written.store(written | kRefused, std::memory_order_release);
      ring(peer);
      return;
    }
    written += run.end - run.begin;
    // Release: they are there.
    ticket.written.store(written, std::memory_order_release);
  }
  ring(peer);
}

}  // namespace weft::msg
