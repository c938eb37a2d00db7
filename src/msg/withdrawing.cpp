// Sends that their caller takes back (MPI_Cancel), on the node: the head has gone, and the ticket's answer is the one
// word by which the sender withdraws it or a receive takes it (record 0150). What a caller waits for is watched, and is
// never withdrawn, so blocking sends do without.

#include "msg/engine.hpp"

namespace weft::msg {
namespace {

Engine& g = g_engine;

constexpr std::uint32_t word_of(Answer answer) noexcept { return static_cast<std::uint32_t>(answer); }

// Kept messages of this node whose sender has withdrawn them.
void let_go_of_kept(Kept& message) noexcept {
  Peer& peer = peer_of(message.pe);
  const Envelope envelope = message.envelope;
  drop(message);
  let_go_of_withdrawn(peer, envelope);
}

}  // namespace

bool claim_ticket(Peer& peer, const Envelope& envelope) noexcept {
  std::uint32_t was = word_of(Answer::kNone);
  // Relaxed: what the message carries was published with its head, and nothing of this side is told by it.
  if (ticket_of(peer, envelope.ticket)
          .answer.compare_exchange_strong(was, word_of(Answer::kTaken), std::memory_order_relaxed)) [[likely]] {
    return true;
  }
  if (was != word_of(Answer::kWithdrawn)) {
    damaged(peer, "a message that nobody has taken is answered");
  }
  return false;
}

bool was_withdrawn(Peer& peer, const Envelope& envelope) noexcept {
  // Acquire: where the count has moved, the ticket says so. Where it has not, drop_withdrawn() looks at what is kept.
  return may_be_withdrawn(peer, envelope) && g.hub->withdrawals.load(std::memory_order_acquire) != 0 &&
         ticket_of(peer, envelope.ticket).answer.load(std::memory_order_relaxed) == word_of(Answer::kWithdrawn);
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
  std::uint32_t was = word_of(Answer::kNone);
  // Relaxed: who finds it withdrawn reads nothing of the message, and where it is told of orders what follows.
  if (send.ticket == nullptr || send.is_watched ||
      !send.ticket->answer.compare_exchange_strong(was, word_of(Answer::kWithdrawn), std::memory_order_relaxed)) {
    return false;
  }
  Peer& peer = peer_of(send.pe);
  of_awaited(send).take_out(send);
  give_back_description(send);
  // The receiver has its number, so it is not free yet; nor is the room for its head.
  g.withdrawn.push_back({send.ticket, &peer});
  send.ticket = nullptr;
  // Release: who sees the count move finds the answer. An atomic addition, as all that send there count.
  peer.hub->withdrawals.fetch_add(1, std::memory_order_release);
  ring(peer);
  return true;
}

void take_back_tickets() noexcept {
  std::size_t left = 0;
  for (const Engine::Withdrawn& one : g.withdrawn) {
    // Acquire: its receiver has looked at it for the last time.
    if (one.ticket->answer.load(std::memory_order_acquire) == word_of(Answer::kDropped)) {
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
  // Before the looks: what is withdrawn behind this moves it once more. Acquire: pairs with withdraw_here().
  g.withdrawals_seen = g.hub->withdrawals.load(std::memory_order_acquire);
  g.matching.take_out_kept([](const Kept& message) { return was_withdrawn(peer_of(message.pe), message.envelope); },
                           let_go_of_kept);
}

}  // namespace weft::msg
