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
                           .piece = std::uint64_t{send.context} << 32 | static_cast<std::uint32_t>(send.source)});
  }
}

// What a receive has taken stays taken, and its sender is told nothing: it hears of that anyway. By the number in the
// order of messages, too, as the request's own number may be another one's by now.
void asked_back(int pe, const Saying& asked) noexcept {
  Peer& peer = peer_of(pe);
  const auto is_it = [&](const Kept& message) {
    return message.pe == pe && message.envelope.ticket == asked.ticket && message.envelope.sequence == asked.bytes;
  };
  const std::size_t list = Matching::list_of(static_cast<std::uint32_t>(asked.piece >> 32),
                                             static_cast<std::int32_t>(static_cast<std::uint32_t>(asked.piece)));
  Kept* const message = g.matching.last_in(list, is_it);
  if (message == nullptr) {
    return;
  }
  g.matching.remove(*message);
  say(peer, {.kind = kWithdrawn, .ticket = asked.ticket, .receiver = 0, .unused = 0, .bytes = 0, .piece = 0});
  if (message->is_coming) {
    message->is_withdrawn = true;  // the network writes there
  } else {
    drop_beyond(peer, *message);
  }
}

void drop_beyond(Peer& peer, Kept& message) noexcept {
  const Envelope envelope = message.envelope;
  drop(message);
  if (envelope.kind() == Kind::kData) {
    give_back(peer, envelope.bytes);
  }
}

}  // namespace weft::msg
