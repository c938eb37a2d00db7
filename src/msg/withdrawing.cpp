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

void tell_withdrawn(Peer& peer, std::uint64_t word) noexcept {
  std::atomic<std::uint64_t>& place = peer.hub->place_of(g.node->local).withdrawn;
  std::uint64_t was = WithdrawnWord::kNone;
  // Release: who takes the word finds the ticket's answer.
  if (!place.compare_exchange_strong(was, word, std::memory_order_release, std::memory_order_relaxed)) {
    // Release: as above. Its receiver may have emptied it meanwhile: then it looks once too often.
    place.store(WithdrawnWord::kSeveral, std::memory_order_release);
  }
  // Release: who sees the count move finds the word. An atomic addition, as all that send there count.
  peer.hub->withdrawals.fetch_add(1, std::memory_order_release);
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
  // Relaxed: a look only. What was cancelled at once was dropped when it came, and would be looked for in vain.
  if (ticket_of(peer, WithdrawnWord::ticket_in(word)).answer.load(std::memory_order_relaxed) !=
      word_of(Answer::kWithdrawn)) {
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
  if (send.ticket == nullptr || send.is_watched) {
    return false;
  }
  Peer& peer = peer_of(send.pe);
  // The receiver has its number, so it is not free then; nor is the room for its head. Before the word changes, as
  // nothing may fail behind that.
  g.withdrawn.push_back({send.ticket, &peer});
  std::uint32_t was = word_of(Answer::kNone);
  // Relaxed: who finds it withdrawn reads nothing of the message, and where it is told of orders what follows.
  if (!send.ticket->answer.compare_exchange_strong(was, word_of(Answer::kWithdrawn), std::memory_order_relaxed)) {
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
  for (int local = 0; local < g.node->n_local; ++local) {
    std::atomic<std::uint64_t>& place = g.hub->place_of(local).withdrawn;
    // Relaxed: the first look only; what is not seen yet moves the count.
    if (place.load(std::memory_order_relaxed) == WithdrawnWord::kNone) {
      continue;
    }
    // Acquire: pairs with tell_withdrawn().
    const std::uint64_t word = place.exchange(WithdrawnWord::kNone, std::memory_order_acquire);
    drop_withdrawn_by(peer_of(g.node->pe_of(local)), word);
  }
}

}  // namespace weft::msg
