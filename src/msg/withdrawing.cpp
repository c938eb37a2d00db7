// Sends that their caller takes back (MPI_Cancel), on the node: the head has gone, and the ticket's answer is the one
// word by which the sender withdraws it or a receive takes it (record 0150). What a caller waits for is watched, and is
// never withdrawn, so blocking sends do without.

#include "msg/engine.hpp"

namespace weft::msg {
namespace {

Engine& g = g_engine;

AnswerWord answer_of(Ticket& ticket) noexcept { return AnswerWord(ticket.answer); }

// Kept messages of this node whose sender has withdrawn them.
void let_go_of_kept(Kept& message) noexcept {
  Peer& peer = peer_of(message.pe);
  const Envelope envelope = message.envelope;
  drop(message);
  let_go_of_withdrawn(peer, envelope);
}

void tell_withdrawn(Peer& peer, std::uint64_t word) noexcept {
  Withdrawals(peer.hub->withdrawals, peer.hub->place_of(g.node->local).withdrawn).tell(word);
  ring(peer);
}

// What this peer has withdrawn of what is kept, as it tells.
void drop_withdrawn_by(Peer& peer, std::uint64_t word) noexcept {
  const auto was_theirs = [&](const Kept& message) {
    return message.pe == peer.pe && was_withdrawn(peer, message.envelope);
  };
  if (word == WithdrawnWord::kSeveral) {
    g.matching.take_out_kept(was_theirs, let_go_of_kept);
    return;
  }
  // What was cancelled at once was dropped when it came, and would be looked for in vain.
  if (!answer_of(ticket_of(peer, WithdrawnWord::ticket_in(word))).is_withdrawn()) {
    return;
  }
  Kept* const message = g.matching.last_in(WithdrawnWord::list_in(word), [&](const Kept& one) {
    return one.envelope.ticket == WithdrawnWord::ticket_in(word) && was_theirs(one);
  });
  if (message != nullptr) {
    g.matching.remove(*message);
    let_go_of_kept(*message);
  }
}

}  // namespace

bool claim_ticket(Peer& peer, const Envelope& envelope) noexcept {
  const Answer was = answer_of(ticket_of(peer, envelope.ticket)).take();
  if (was == Answer::kNone) [[likely]] {
    return true;
  }
  if (was != Answer::kWithdrawn) {
    damaged(peer, "a message that nobody has taken is answered");
  }
  return false;
}

bool was_withdrawn(Peer& peer, const Envelope& envelope) noexcept {
  // Where the count has moved, the ticket says so. Where it has not, drop_withdrawn() looks at what is kept.
  return may_be_withdrawn(peer, envelope) && Withdrawals::counted(g.hub->withdrawals) != 0 &&
         answer_of(ticket_of(peer, envelope.ticket)).is_withdrawn();
}

void let_go_of_withdrawn(Peer& peer, const Envelope& envelope) noexcept { answer(peer, envelope, Answer::kDropped); }

Kept* find_kept(const Pattern& pattern) noexcept {
  for (;;) {
    Kept* const message = g.matching.find(pattern);
    if (message == nullptr || !was_withdrawn(peer_of(message->pe), message->envelope)) [[likely]] {
      return message;
    }
    g.matching.remove(*message);
    let_go_of_kept(*message);
  }
}

Kept* take_kept(const Pattern& pattern) noexcept {
  for (;;) {
    Kept* const message = g.matching.find(pattern);
    if (message == nullptr) {
      return nullptr;
    }
    g.matching.remove(*message);
    if (claim(peer_of(message->pe), message->envelope)) [[likely]] {
      return message;
    }
    let_go_of_kept(*message);
  }
}

bool withdraw_here(Request& send) noexcept {
  if (send.ticket == nullptr || send.is_watched) {
    return false;
  }
  Peer& peer = peer_of(send.pe);
  // The receiver has its number, so it is not free then; nor is the room for its head. Before the word changes, as
  // nothing may fail behind that.
  g.withdrawn.push_back({send.ticket, &peer});
  if (!answer_of(*send.ticket).withdraw()) {
    g.withdrawn.pop_back();
    return false;
  }
  of_awaited(send).take_out(send);
  give_back_description(send);
  tell_withdrawn(peer, WithdrawnWord::of(g.pool.number_of(*send.ticket), Matching::list_of(send.context, send.source)));
  send.ticket = nullptr;
  return true;
}

void take_back_tickets() noexcept {
  std::size_t left = 0;
  for (const Engine::Withdrawn& one : g.withdrawn) {
    // Its receiver has looked at it for the last time.
    if (answer_of(*one.ticket).look() == Answer::kDropped) {
      g.pool.give_back(*one.ticket);
      --one.peer->heads;
      --g.heads;
    } else {
      g.withdrawn[left++] = one;
    }
  }
  g.withdrawn.resize(left);
}

void drop_withdrawn() noexcept {
  g.withdrawals_seen = Withdrawals::counted(g.hub->withdrawals);  // before the looks
  for (int local = 0; local < g.node->n_local; ++local) {
    const std::uint64_t word = Withdrawals(g.hub->withdrawals, g.hub->place_of(local).withdrawn).take_word();
    if (word == WithdrawnWord::kNone) {
      continue;
    }
    drop_withdrawn_by(peer_of(g.node->pe_of(local)), word);
  }
}

}  // namespace weft::msg
