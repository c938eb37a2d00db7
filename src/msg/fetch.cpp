// Messages whose data the receiver fetches, on the node: by reading it where it lies, or by two copies through a stage
// in the sender's own area, which both sides work at.
#include <algorithm>
#include <cstring>

#include "base/lines.hpp"
#include "msg/fetch.hpp"
#include "os/clock.hpp"
#include "sync/doorbell.hpp"

namespace weft::msg {
namespace {

Engine& g = g_engine;

// Of shorter messages the receiver waits for the lines of the last pieces longer than the sender has won with the
// others: 12 and 16 KiB both ways took 1.08 and 1.10 of the time. Of a message of 64 KiB and more it takes 0.63 to
// 0.72.
constexpr std::uint64_t kLeastAsStaged = 32768;

// Of a message of such a size, as Costs tells them apart.
std::uint64_t size_bit(std::uint64_t bytes) noexcept { return std::uint64_t{1} << Costs::class_of(bytes); }

std::uint32_t piece_for(const Request& receive, const Ticket& ticket) noexcept {
  return receive.data.layout != nullptr || ticket.packs != 0 ? kPieceOfParts
         : receive.both_directions                           ? kPieceBothWays
                                                             : kPieceOneWay;
}

// True: the message is received, or has failed. `told`: the one place of its data; null: the ticket has more to say.
bool by_one_copy(Request& receive, Peer& peer, const Ticket& ticket, const ToldPlace* told) noexcept {
  const reach::Place place = told != nullptr ? place_told(peer, *told) : reach::Place{};
  const reach::Moved moved = place.bytes > 0 && receive.data.layout == nullptr
                                 ? reach_of(peer).read(receive.data.at, place, 0, receive.wanted)
                                 : read_parts(receive, peer, ticket);
  if (moved.outcome == reach::Outcome::kUnmapped) {
    receive.status.fault = Fault::kTheirMemory;
  } else if (moved.outcome == reach::Outcome::kOwnMissing) {
    receive.status.fault = Fault::kOwnMemory;
  } else if (moved.outcome != reach::Outcome::kDone || moved.bytes < receive.wanted) {
    // Refused, perhaps in the middle: what is here need not come again.
    receive.moved = std::min(moved.bytes, receive.wanted);
    return false;
  }
  return true;
}

Found& found_by(Peer& peer, std::uint64_t bytes) noexcept {
  return peer.found[static_cast<std::size_t>(Costs::class_of(bytes))];
}

Path found_path(Peer& peer, const Request& receive) noexcept {
  return g.costs.path_of(receive.wanted, receive.both_directions, found_by(peer, receive.wanted));
}

Path path_for(Peer& peer, const Request& receive) noexcept {
  if (g.single_copy == base::SingleCopy::kNone || reach_of(peer).way(reach::Direction::kRead) == reach::kNoWay) {
    return Path::kTwoCopies;
  }
  return g.single_copy == base::SingleCopy::kBest ? found_path(peer, receive) : Path::kOneCopy;
}

// Where a message's pieces begin: behind those of the last message, as lines that a peer has read long ago are cheaper
// to write again.
std::uint32_t begin_of(const Pool::Stage& stage, std::uint32_t bits) noexcept {
  const std::uint32_t each = std::uint32_t{1} << bits;
  return (stage.begin + each - 1) / each * each % kStageBytes;
}

// A send whose receiver wants its data through the stage: as much as there is room for.
void fill_stage(Request& send) noexcept {
  Ticket& ticket = *send.ticket;
  if (send.stage == 0) {
    const Pool::Stage stage = g.pool.stage();
    if (stage.offset == 0) {
      return;  // others have all of them, and give them back
    }
    ticket.stage = send.stage = stage.offset;
    ticket.stage_begin = send.stage_begin = begin_of(stage, send.piece_bits);
  }
  Peer& peer = peer_of(send.pe);
  // Acquire: the receiver has read the piece that lay there.
  const std::uint64_t taken = ticket.taken.load(std::memory_order_acquire);
  std::uint64_t filled = ticket.filled.load(std::memory_order_relaxed);
  const Pieces pieces{send.wanted, send.piece_bits, send.stage_begin};
  if (taken > filled) {
    damaged(peer, "it has taken pieces that it was not given");
  }
  for (; filled < pieces.count() && filled - taken < pieces.room(); ++filled) {
    std::byte* const into = g.pool.at(send.stage + pieces.at(filled));
    const std::uint64_t from = send.moved + pieces.from(filled);
    const std::size_t bytes = pieces.size(filled);
    if (send.data.layout != nullptr) {
      send.data.layout->pack(send.data.at, from, into, bytes);
    } else if (send.wanted < kLeastAsStaged) {
      copy::copy(into, static_cast<const std::byte*>(send.data.at) + from, bytes);
    } else {
      copy::copy_staged(into, static_cast<const std::byte*>(send.data.at) + from, bytes);
    }
    // Release: the piece is there, and the stage is told of.
    ticket.filled.store(filled + 1, std::memory_order_release);
    ring(peer);
  }
}

void start_copying(Request& send) noexcept {
  of_awaited(send).take_out(send);
  send.is_copying = true;
  g.copying.append(send);
}

// What the receiver has asked for, checked: it has written it.
void begin_copying(Request& send) noexcept {
  const Ticket& ticket = *send.ticket;
  send.moved = ticket.from;
  send.wanted = ticket.wanted;
  if (send.moved > send.data.bytes || send.wanted > send.data.bytes - send.moved) {
    damaged(peer_of(send.pe), "it wants more of a message than there is");
  }
  send.piece_bits = ticket.piece;
  if (!is_piece(send.piece_bits)) {
    damaged(peer_of(send.pe), "it wants a message in pieces of no such size");
  }
  if (!send.is_copying) {
    start_copying(send);
  }
  send.is_with_receiver = false;
  fill_stage(send);
}

void end_send(Request& send) noexcept {
  if (const Found found = Found::of(send.ticket->from); found.is_known()) {
    found_by(peer_of(send.pe), send.data.bytes) = found;
  }
  if (send.ticket->begun != 0 && send.ticket->taken.load(std::memory_order_relaxed) == 0) {
    peer_of(send.pe).by_stage &= ~size_bit(send.data.bytes);  // it has read it where it lay
  }
  (send.is_copying ? g.copying : of_awaited(send)).take_out(send);
  give_back_ticket(send);
  complete(send);
}

// True: all of it is here.
bool empty_stage(Request& receive, Peer& peer, Ticket& ticket) noexcept {
  // Acquire: the pieces were written before, and where the stage is.
  const std::uint64_t filled = ticket.filled.load(std::memory_order_acquire);
  if (receive.fetched == filled) {
    return false;
  }
  const std::uint64_t stage = ticket.stage;
  const Pieces pieces{receive.wanted - receive.moved, receive.piece_bits, ticket.stage_begin};
  // Unasked comes all that there is, also what the receive has no room for.
  const std::uint64_t may_come =
      receive.is_begun ? Pieces{receive.envelope.bytes, receive.piece_bits, 0}.count() : pieces.count();
  if (filled > may_come || filled - receive.fetched > pieces.room() || !pieces.lie_in_stage() ||
      !g.node->own.holds(stage, kStageBytes)) {
    damaged(peer, "it tells of pieces that there cannot be");
  }
  for (const std::uint64_t until = std::min(filled, pieces.count()); receive.fetched < until; ++receive.fetched) {
    const std::byte* const from = g.node->own.at(peer.local, stage + pieces.at(receive.fetched));
    const std::uint64_t to = receive.moved + pieces.from(receive.fetched);
    const std::size_t bytes = pieces.size(receive.fetched);
    if (receive.data.layout != nullptr) {
      receive.data.layout->unpack(receive.data.at, to, from, bytes);
    } else {
      std::byte* const into = static_cast<std::byte*>(receive.data.at) + to;
      const std::uint64_t behind = receive.wanted - to - bytes;
      peer.next_lines.copy_in_parts(into, bytes, behind, [&](std::size_t at, std::size_t part) noexcept {
        copy::copy(into + at, from + at, part);
      });
    }
    // Release: it was read before the sender writes there again.
    ticket.taken.store(receive.fetched + 1, std::memory_order_release);
    ring(peer);
  }
  return receive.fetched == pieces.count();
}

// What comes unasked may be there before this side looks: what it took the sender then is about what it takes here.
std::uint64_t cost_of(const Request& receive) noexcept {
  const std::uint64_t took = os::now_ns() - receive.began_ns;
  return receive.is_begun && receive.fetched > 0 ? took + took * receive.came_before / receive.fetched : took;
}

}  // namespace

void finish(Request& receive, Peer& peer, Path path) noexcept {
  if (g.listener != nullptr) [[unlikely]] {
    g.listener->came(peer.pe, receive.context, receive.status.bytes,
                     path == Path::kOneCopy ? Way::kOneCopy : Way::kTwoCopies);
  }
  // Its sender, which receives meanwhile, is to go the same way.
  const bool is_told = receive.both_directions && receive.wanted == receive.envelope.bytes && receive.wanted > 0;
  answer(peer, receive.envelope, Answer::kReceived, is_told ? g.costs.found(receive.wanted, true) : Found{});
  if (receive.status.fault == Fault::kNone && receive.began_ns != 0 &&
      g.costs.took(receive.wanted, receive.both_directions, path, cost_of(receive))) {
    const Found found = g.costs.found(receive.wanted, receive.both_directions);
    base::debug("messages of about %llu bytes%s go by %s (%u and %u ns by a KiB here, %u and %u there)",
                static_cast<unsigned long long>(receive.wanted), receive.both_directions ? " in both directions" : "",
                found_path(peer, receive) == Path::kOneCopy ? "one copy" : "two copies", found.one, found.two,
                found_by(peer, receive.wanted).one, found_by(peer, receive.wanted).two);
  }
  complete(receive);
}

reach::Peer& reach_of(Peer& peer) noexcept {
  if (peer.reach == nullptr) {
    peer.reach = std::make_unique<reach::Peer>();
    peer.reach->meet(g.self, peer.hub->card, peer.pe);
  }
  return *peer.reach;
}

void by_two_copies(Request& receive, Peer& peer, Ticket& ticket) noexcept {
  peer.next_lines = NextLines(receive.data.at, peer.last_into);
  peer.last_into = receive.data.at;
  const std::uint32_t begun = ticket.begun;
  if (begun != 0) {
    if (!is_piece(begun) || receive.envelope.bytes > kMostUnasked) {
      damaged(peer, "it brings a message in pieces of no such size");
    }
    // Also what has been read already, where reading was refused in the middle.
    receive.is_begun = true;
    receive.moved = receive.fetched = 0;
    receive.piece_bits = begun;
    const bool is_whole = empty_stage(receive, peer, ticket);
    receive.came_before = receive.fetched;
    if (is_whole) {
      finish(receive, peer, Path::kTwoCopies);
      return;
    }
    receive.state.store(Request::State::kMoving, std::memory_order_relaxed);
    g.fetching.append(receive);
    return;
  }
  ticket.from = receive.moved;
  ticket.wanted = receive.wanted - receive.moved;
  // In the order in which the pieces come: `moved` counts from here on.
  receive.fetched = 0;
  receive.piece_bits = ticket.piece = piece_for(receive, ticket);
  receive.state.store(Request::State::kMoving, std::memory_order_relaxed);
  g.fetching.append(receive);
  answer(peer, receive.envelope, Answer::kCopies);
}

List& of_awaited(const Request& send) noexcept { return send.is_watched ? g.watched : g.answered; }

void end_copying(Request& send) noexcept {
  g.copying.take_out(send);
  send.is_copying = false;
  of_awaited(send).append(send);
}

void await_answer(Request& send) noexcept {
  if (send.stage == 0) {
    of_awaited(send).append(send);
    return;
  }
  send.is_copying = true;
  g.copying.append(send);
  fill_stage(send);
}

void prepare_unasked(Peer& peer, Request& send) noexcept {
  if (!send.is_blocking || send.data.bytes > kMostUnasked || send.data.layout != nullptr || send.stage != 0 ||
      (peer.by_stage & size_bit(send.data.bytes)) == 0) {
    return;
  }
  const Pool::Stage stage = g.pool.stage();
  if (stage.offset == 0) {
    return;
  }
  Ticket& ticket = *send.ticket;
  send.moved = 0;
  send.wanted = send.data.bytes;
  send.piece_bits = ticket.begun = kPieceUnasked;
  ticket.stage = send.stage = stage.offset;
  ticket.stage_begin = send.stage_begin = begin_of(stage, kPieceUnasked);
}

void answer(Peer& peer, const Envelope& envelope, Answer what, Found found) noexcept {
  Ticket& ticket = ticket_of(peer, envelope.ticket);
  if (what == Answer::kReceived) {
    ticket.from = found.word();
  }
  AnswerWord(ticket.answer).say(what, envelope.is_watched() ? nullptr : &peer.hub->answers);
  ring(peer);
}

void fetch(Request& receive, Peer& peer, const Envelope& envelope, const ToldPlace* told) noexcept {
  receive.envelope = envelope;
  receive.wanted = accept(receive, peer, envelope);
  receive.is_begun = false;
  receive.moved = 0;
  receive.began_ns = 0;
  if (peer.local < 0) {
    fetch_beyond(receive, peer, envelope);
    return;
  }
  Ticket& ticket = ticket_of(peer, envelope.ticket);
  if (receive.wanted == 0) {
    finish(receive, peer, Path::kOneCopy);
    return;
  }
  receive.both_directions = !g.answered.empty() || !g.watched.empty() || !g.copying.empty();
  const Path path = path_for(peer, receive);
  const bool together = path == Path::kOneCopy && goes_together(receive, ticket);
  // A look at the clock is not for nothing, beside a small message.
  receive.began_ns = together || g.costs.is_open(receive.wanted, receive.both_directions) ? os::now_ns() : 0;
  if (together) {
    begin_together(receive, peer, ticket);
    return;
  }
  if (path == Path::kOneCopy && by_one_copy(receive, peer, ticket, told)) {
    finish(receive, peer, Path::kOneCopy);
    return;
  }
  by_two_copies(receive, peer, ticket);
}

void give_back_ticket(Request& send) noexcept {
  if (send.ticket == nullptr) {
    return;
  }
  give_back_description(send);
  g.pool.give_back(*send.ticket);
  send.ticket = nullptr;
  --peer_of(send.pe).heads;
  --g.heads;
}

void look_at_answers() noexcept {
  const auto look = [](Request& send) {
    const Answer answer = AnswerWord(send.ticket->answer).look();
    if (answer == Answer::kReceived) {
      end_send(send);
    } else if (answer == Answer::kCopies) {
      if (!send.is_copying || send.is_with_receiver) {
        peer_of(send.pe).by_stage |= size_bit(send.data.bytes);
        begin_copying(send);
      }
    } else if (answer == Answer::kTogether) {
      if (!send.is_copying && !send.is_with_receiver) {
        send.is_with_receiver = true;
        start_copying(send);
      }
    } else if (answer != Answer::kNone && answer != Answer::kTaken) {
      damaged(peer_of(send.pe), "an answer is none");
    }
  };
  // Acquire: the answers that are counted are there.
  const std::uint32_t answers = g.hub->answers.load(std::memory_order_acquire);
  const bool counted = answers != g.answers_seen;
  // First those: what begins to copy goes there.
  if (!g.copying.empty()) {
    g.copying.each(look);
  }
  if (!g.watched.empty()) {
    g.watched.each(look);
  }
  if (counted) [[unlikely]] {
    g.answers_seen = answers;
    g.answered.each(look);
    if (!g.withdrawn.empty()) {
      take_back_tickets();
    }
  }
  // Relaxed: the first look only.
  if (g.hub->withdrawals.load(std::memory_order_relaxed) != g.withdrawals_seen) [[unlikely]] {
    drop_withdrawn();
  }
}

void go_on_copying() noexcept {
  g.copying.each([](Request& send) {
    if (send.is_with_receiver) {
      go_on_with_receiver(send);
    } else {
      fill_stage(send);
    }
  });
}

void go_on_fetching() noexcept {
  g.fetching.each([](Request& receive) {
    Peer& peer = peer_of(receive.status.pe);
    Ticket& ticket = ticket_of(peer, receive.envelope.ticket);
    if (receive.pieces > 0) {
      go_on_together(receive, peer, ticket);
    } else if (empty_stage(receive, peer, ticket)) {
      g.fetching.take_out(receive);
      finish(receive, peer, Path::kTwoCopies);
    }
  });
}

}  // namespace weft::msg
