// Sends to other nodes that their caller takes back (MPI_Cancel): the receiver's process is asked (record 0150).

#include "msg/beyond.hpp"

namespace weft::msg {
namespace {
Engine& g = g_engine;
}

void ask_back(Request& send) noexcept {
  if (send.awaits_answer && !send.is_asked_back) {
    send.is_asked_back = true;
    say(peer_of(send.pe), {.kind = kAskedBack,
                           .ticket = send.number,
                           .receiver = 0,
                           .unused = 0,
                           .bytes = send.envelope.sequence,
                           .piece = 0});
  }
}

// What a receive has taken stays taken, and its sender is told nothing: it hears of that anyway. By the number in the
// order of messages, too, as the request's own number may be another one's by now.
void asked_back(int pe, const Saying& asked) noexcept {
  Peer& peer = peer_of(pe);
  const auto is_it = [&](const Kept& message) {
    return message.pe == pe && message.envelope.ticket == asked.ticket && message.envelope.sequence == asked.bytes;
  };
  g.matching.take_out_kept(is_it, [&](Kept& message) {
    say(peer, {.kind = kWithdrawn, .ticket = asked.ticket, .receiver = 0, .unused = 0, .bytes = 0, .piece = 0});
    if (message.is_coming) {
      message.is_withdrawn = true;  // the network writes there
    } else {
      drop_beyond(peer, message);
    }
  });
}

void drop_beyond(Peer& peer, Kept& message) noexcept {
  const Envelope envelope = message.envelope;
  drop(message);
  if (envelope.kind() == Kind::kData) {
    give_back(peer, envelope.bytes);
  }
}

}  // namespace weft::msg
