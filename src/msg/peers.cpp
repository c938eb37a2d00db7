#include "base/lines.hpp"
#include "job/shared_area.hpp"
#include "msg/engine.hpp"

namespace weft::msg {

constinit Engine g_engine{};

namespace {

Engine& g = g_engine;

// Where it puts its messages, as it has told before all met.
Hub* hub_of(int local) noexcept {
  const std::uint64_t told = job::shared_pe(g.node->job, local).messages.load(std::memory_order_acquire);
  const std::uint64_t offset = told - 1;
  if (told == 0 || offset % alignof(Hub) != 0 || !g.node->own.holds(offset, hub_bytes(g.node->n_local))) {
    base::fail(job::current_call(),
               "PE %d has no place for messages, or tells of a wrong one; has its program begun "
               "without messages?",
               g.node->pe_of(local));
  }
  return reinterpret_cast<Hub*>(g.node->own.at(local, offset));
}

std::unique_ptr<Peer> make_peer(int pe) noexcept {
  auto peer = std::make_unique<Peer>();
  peer->pe = pe;
  peer->local = g.node->here(pe);
  if (peer->local >= 0) {
    peer->hub = hub_of(peer->local);
    peer->bell = &g.node->value_bell(peer->local);
  } else {
    peer->allowance = g.allowance;
  }
  return peer;
}

}  // namespace

Peer& peer_of(int pe) noexcept {
  std::unique_ptr<Peer>& peer = g.peers[static_cast<std::size_t>(pe)];
  if (peer == nullptr) [[unlikely]] {
    peer = make_peer(pe);
  }
  return *peer;
}

void damaged(const Peer& peer, const char* what) noexcept {
  base::fail(job::current_call(),
             "what PE %d has written for this one is damaged: %s; has a program written past the "
             "end of an array?",
             peer.pe, what);
}

void damaged_queue() noexcept {
  base::fail(job::current_call(),
             "the queue of messages of this node is damaged; has a program written past the end of "
             "an array?");
}

QueueNode* node_at(Spot spot) noexcept {
  const int local = local_of(spot);
  const std::uint64_t offset = offset_of(spot);
  const bool is_there = local >= 0 && local < g.node->n_local && offset % alignof(QueueNode) == 0 &&
                        g.node->own.holds(offset, sizeof(QueueNode));
  return is_there ? reinterpret_cast<QueueNode*>(g.node->own.at(local, offset)) : nullptr;
}

Ticket& ticket_of(const Peer& peer, std::uint32_t number) noexcept {
  const std::uint64_t offset = std::uint64_t{number} * alignof(Ticket);
  if (!g.node->own.holds(offset, sizeof(Ticket))) {
    damaged(peer, "a message names no ticket of its area");
  }
  return *reinterpret_cast<Ticket*>(g.node->own.at(peer.local, offset));
}

}  // namespace weft::msg
