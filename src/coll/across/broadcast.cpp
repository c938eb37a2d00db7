#include <algorithm>

#include "coll/across/span.hpp"
#include "coll/across/speakers.hpp"
#include "coll/across/stages.hpp"

namespace weft::coll::across {
namespace {

// More than this goes through a chain, piece after piece: nobody sends anything twice, and while one piece is on its
// way through the network another one is copied inside the nodes.
constexpr std::size_t kTree = std::size_t{512} << 10;
constexpr std::size_t kPiece = std::size_t{256} << 10;

// This PE's part. The root speaks for its domain, so that its data need not go to a leader first.
struct Part {
  int from;        // the root's domain
  Broadcast here;  // the stage in this domain

  Part(const group::Span& span, const Broadcast& call) noexcept : from(span.find(call.root)), here(call) {
    if (from == span.mine) {
      here.root = span.domains[from].seat(call.root);
    } else {
      here.root = 0;
      here.source = call.dest;
    }
  }
  Broadcast piece(std::size_t at) const noexcept {
    return {static_cast<std::byte*>(here.dest) + at, static_cast<const std::byte*>(here.source) + at,
            std::min(kPiece, here.bytes - at), here.root};
  }
};

void through_tree(Party& party, const Speakers& speakers, const Part& part) noexcept {
  Messages messages = messages_of(party);
  if (party.me() == part.here.root) {
    hear(speakers, messages, part.from, part.here.dest, part.here.bytes);
    messages.wait();
    pass_on(speakers, messages, part.from, part.here.source, part.here.bytes);
  }
  broadcast_here(party, part.here);
}

void through_chain(Party& party, const Speakers& speakers, const Part& part) noexcept {
  const bool speaks = party.me() == part.here.root;
  const bool hears = speaks && speakers.me() != part.from;
  const bool passes_on = speaks && speakers.after(1) != part.from;
  // A piece ahead, each of the two has a count of its own.
  Messages even = messages_of(party);
  Messages odd = messages_of(party);
  Messages out = messages_of(party);
  const auto receive = [&](std::size_t at, bool is_odd) {
    if (hears && at < part.here.bytes) {
      const Broadcast piece = part.piece(at);
      (is_odd ? odd : even).receive(speakers.pe(speakers.before(1)), piece.dest, piece.bytes);
    }
  };
  receive(0, false);
  bool is_odd = false;
  for (std::size_t at = 0; at < part.here.bytes; at += kPiece, is_odd = !is_odd) {
    const Broadcast piece = part.piece(at);
    receive(at + kPiece, !is_odd);
    (is_odd ? odd : even).wait();
    if (passes_on) {
      out.send(speakers.pe(speakers.after(1)), piece.source, piece.bytes);
    }
    broadcast_here(party, piece);
    party.next_stage();
  }
}

}  // namespace

void broadcast(Party& party, const Broadcast& call) noexcept {
  const Speakers speakers(*party.span(), call.root);
  const Part part(*party.span(), call);
  call.bytes <= kTree ? through_tree(party, speakers, part) : through_chain(party, speakers, part);
}

}  // namespace weft::coll::across
