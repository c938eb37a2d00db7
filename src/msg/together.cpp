// Large messages by one copy that both sides make: the receiver reads pieces from the first one on, and a sender that
// waits writes pieces from the last one back. A sender that does something else takes none, and costs nothing.
#include <algorithm>

#include "msg/claims.hpp"
#include "msg/fetch.hpp"
#include "os/clock.hpp"
#include "sync/doorbell.hpp"

namespace weft::msg {
namespace {

Engine& g = g_engine;

// Below it the sender comes too late to be of use.
constexpr std::uint64_t kLeastTogether = std::uint64_t{64} << 10;
// Of several pages, as each costs something; and one side may wait for the other's last one.
constexpr std::uint64_t kPiece = std::uint64_t{16} << 10;

// For a sender's last turn; who takes longer has lost its processor.
constexpr std::uint64_t kMostStayNs = 1'000'000;

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
  g.self.take_back(receive.shown);
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
  const Written::Told written = Written(ticket.written).look();
  if (written.pieces > theirs) {
    damaged(peer, "it has written pieces that it did not take");
  }
  // What is too long or of another type is received all the same.
  const bool can_be_read =
      !receive.is_refused && receive.status.fault != Fault::kTheirMemory && receive.status.fault != Fault::kOwnMemory;
  if (!written.is_refused) {
    if (can_be_read && receive.moved != at(receive.pieces - theirs, receive.pieces, receive.wanted)) {
      damaged(peer, "pieces of a message are nobody's");
    }
    return written.pieces == theirs;
  }
  // What is left of it is this side's; why it cannot be written this side finds too.
  if (can_be_read) {
    (void)read(receive, peer, place_told(peer, ticket.place), receive.moved, receive.wanted);
  }
  return true;
}

}  // namespace

// With a processor each: who shares one would take it from the other. Where data goes both ways each side has its own
// to copy.
bool goes_together(const Request& receive, const Ticket& ticket) noexcept {
  return receive.wanted >= kLeastTogether && !receive.both_directions && !g.node->crowded &&
         receive.data.layout == nullptr && ticket.packs == 0 && ticket.n_ranges == 0 &&
         ticket.place.place().bytes >= receive.wanted;
}

void begin_together(Request& receive, Peer& peer, Ticket& ticket) noexcept {
  // Before it is answered: the sender would find that its receiver wants more than there is, and name the wrong one.
  const reach::Place from = place_told(peer, ticket.place);
  check_pieces(peer, ticket, ticket.ranges, 0, nullptr);
  receive.shown = g.self.show(receive.data.at, receive.wanted, true);
  receive.pieces = pieces_of(receive.wanted);
  receive.is_refused = false;
  ticket.target = ToldPlace(receive.shown);
  Claims claims(ticket.claims, receive.pieces);
  claims.clear();
  Written(ticket.written).clear();
  answer(peer, receive.envelope, Answer::kTogether);
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
  // A sender that has begun ends soon, and waits for the answer: who went on without it might call nothing for long.
  const std::uint64_t now = os::now_ns();
  const std::uint64_t until = now + std::min(now - receive.began_ns, kMostStayNs);
  do {
    if (has_written(receive, peer, ticket)) {
      end(receive, peer, ticket);
      return;
    }
    sync::relax();
  } while (os::now_ns() < until);
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

void go_on_with_receiver(Request& send) noexcept {
  Ticket& ticket = *send.ticket;
  Peer& peer = peer_of(send.pe);
  const reach::Place target = place_told(peer, ticket.target);
  const std::uint64_t bytes = target.bytes;
  if (bytes > send.data.bytes || send.data.layout != nullptr) {
    damaged(peer, "it wants more of a message than there is");
  }
  Written written(ticket.written);
  reach::Peer& reach = reach_of(peer);
  const bool may_write = !written.is_refused() && reach.way(reach::Direction::kWrite) != reach::kNoWay;
  const std::uint32_t pieces = pieces_of(bytes);
  const Claims::Run run = may_write ? Claims(ticket.claims, pieces).take_last() : Claims::Run{};
  if (run.empty()) {
    end_copying(send);
    return;
  }
  const std::uint64_t begin = at(run.begin, pieces, bytes);
  const std::uint64_t size = at(run.end, pieces, bytes) - begin;
  const reach::Moved moved = reach.write(target, begin, static_cast<const std::byte*>(send.data.at) + begin, size);
  if (moved.outcome == reach::Outcome::kDone && moved.bytes == size) {
    written.add(run.end - run.begin);
  } else {
    written.refuse();
  }
  ring(peer);
}

}  // namespace weft::msg
