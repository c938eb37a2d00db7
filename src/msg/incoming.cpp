// What comes from PEs of the node: out of boxes and the queue, to the receive that it is for, or kept.
#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <new>

#include "base/lines.hpp"
#include "msg/engine.hpp"

namespace weft::msg {
namespace {

Engine& g = g_engine;

// What is kept costs its head too.
constexpr std::uint64_t cost_of(std::uint64_t bytes) noexcept { return bytes + sizeof(Kept); }
std::uint64_t bytes_here(const Envelope& envelope) noexcept {
  return envelope.kind() == Kind::kData ? envelope.bytes : 0;
}

// Boxes begin small; who has sent this much through its box gets the larger one.
constexpr std::uint32_t kFirstLines = 256;
constexpr std::uint64_t kPassedForMore = 4096;
// More talkers than this share the queue: each box is memory that is touched.
constexpr std::size_t kMostBoxes = 64;
// Entries of one box before the next one is looked at.
constexpr int kEntries = 64;
// So many that were there already: the writer is well ahead. Of two PEs that exchange messages one is by one.
constexpr int kRun = 3;

void offer_box(Peer& peer, std::uint32_t lines) noexcept {
  const std::uint64_t offset = g.pool.block(box_bytes(lines));
  if (offset == 0) {
    return;
  }
  const BoxSpot spot = box_spot(offset, lines);
  auto* const box = reinterpret_cast<BoxHead*>(g.pool.at(offset));
  clear_box(box, lines, peer.expected - 1);
  if (peer.in.is_open()) {
    peer.next_spot = spot;
  } else {
    peer.in.open(box, lines);
    peer.in_spot = spot;
    g.boxes.push_back(&peer);
  }
  // Release: the sender that sees it sees it cleared.
  g.hub->box_for(peer.local).store(spot, std::memory_order_release);
}

void move_to_next_box(Peer& peer) noexcept {
  if (peer.next_spot == 0) {
    damaged(peer, "it has left its box");
  }
  g.pool.give_back_block(offset_of_box(peer.in_spot));
  peer.in.open(reinterpret_cast<BoxHead*>(g.pool.at(offset_of_box(peer.next_spot))), lines_of_box(peer.next_spot));
  peer.in_spot = peer.next_spot;
  peer.next_spot = 0;
  peer.skipped = false;
}

// One entry. False: what stands there was about the box itself.
bool take_entry(Peer& peer, const Line& line) noexcept {
  const Envelope envelope = line.read(peer.expected);
  switch (envelope.kind()) {
    case Kind::kSkip:
      if (!skip(peer, envelope.bytes)) {
        damaged(peer, "a box has no entry where it is to go on");
      }
      return false;
    case Kind::kMoved: move_to_next_box(peer); return false;
    case Kind::kHead:
      deliver(peer, envelope, line.data(), Way::kBox);
      peer.in.take(1);
      break;
    case Kind::kData: {
      const std::uint32_t lines = envelope.bytes <= kMostEager ? lines_of(envelope.bytes) : UINT32_MAX;
      if (lines > peer.in.to_end()) {
        damaged(peer, "an entry is longer than its box");
      }
      deliver(peer, envelope, line.data(), Way::kBox);
      peer.in.take(lines);
      break;
    }
    default: damaged(peer, "an entry is of no kind");
  }
  peer.skipped = false;
  return true;
}

// Nodes that came before their turn.
void take_parked(Peer& peer) noexcept {
  while (peer.parked_done < peer.parked.size() && peer.parked[peer.parked_done].envelope.sequence == peer.expected) {
    const Peer::Parked parked = peer.parked[peer.parked_done++];
    ++peer.expected;
    deliver(peer, parked.envelope, parked.node->data(), Way::kQueue);
    give_back(*parked.node);
  }
  if (peer.parked_done == peer.parked.size()) {
    peer.parked.clear();
    peer.parked_done = 0;
  }
}

// It is in its sender's area, who may write what it likes: what is checked here is read once.
void take_node(Peer& peer, QueueNode& node, std::uint64_t offset) noexcept {
  const Envelope envelope = node.envelope;
  const bool is_data = envelope.kind() == Kind::kData;
  if ((!is_data && envelope.kind() != Kind::kHead) || (is_data && envelope.bytes > kMostEager) ||
      !g.node->own.holds(offset, sizeof node + (is_data ? envelope.bytes : sizeof(ToldPlace)))) {
    damaged(peer, "a message in the queue is none");
  }
  const std::uint32_t last = peer.parked.empty() ? peer.expected - 1 : peer.parked.back().envelope.sequence;
  // Numbers go round: what lies ahead is nearer than what lies behind.
  if (envelope.sequence - last - 1 > UINT32_MAX / 2) {
    damaged(peer, "a message in the queue has come before");
  }
  if (envelope.sequence != peer.expected) {
    peer.parked.push_back({&node, envelope});
    return;
  }
  ++peer.expected;
  deliver(peer, envelope, node.data(), Way::kQueue);
  give_back(node);
  take_parked(peer);
}

}  // namespace

bool poll_box(Peer& peer) noexcept {
  const Line* line = peer.in.look(peer.expected);
  if (line == nullptr) [[likely]] {
    return false;
  }
  for (int k = 0; line != nullptr && k < kEntries; ++k) {
    if (k >= kRun) {
      peer.in.look_ahead();
    }
    if (take_entry(peer, *line)) {
      ++peer.expected;
      if (!peer.parked.empty()) [[unlikely]] {
        take_parked(peer);
      }
    }
    line = peer.in.look(peer.expected);
  }
  if (peer.next_spot == 0 && lines_of_box(peer.in_spot) < kMostLines && peer.in.passed() > kPassedForMore)
      [[unlikely]] {
    offer_box(peer, kMostLines);
  }
  return true;
}

void poll_queue() noexcept {
  for (int k = 0; k < kEntries; ++k) {
    const Popped popped = pop(g.hub->queue, node_at);
    if (popped.is_damaged) {
      damaged_queue();
    }
    if (popped.node == nullptr) [[likely]] {
      return;
    }
    const auto address = reinterpret_cast<std::uintptr_t>(popped.node);
    const int local = g.node->own.owner_of(address);
    Peer& peer = peer_of(g.node->pe_of(local));
    take_node(peer, *popped.node,
              static_cast<std::uint64_t>(reinterpret_cast<std::byte*>(popped.node) - g.node->own.at(local, 0)));
    if (!peer.in.is_open() && g.boxes.size() < kMostBoxes) {
      offer_box(peer, kFirstLines);
    }
  }
}

void tell_come(int pe, const Envelope& envelope, Way way, const Request* receive) noexcept {
  if (receive != nullptr) {
    g.listener->awaited(pe, envelope.context);
  }
  // Of a head the data is to come, by a way that is chosen then. What is kept and answered may yet be withdrawn: give()
  // tells of it.
  if (envelope.kind() == Kind::kData && (receive != nullptr || envelope.ticket == kNoTicket)) {
    g.listener->came(pe, envelope.context, envelope.bytes, way);
  }
}

void deliver(Peer& peer, const Envelope& envelope, const std::byte* data, Way way) noexcept {
  Request* const receive = g.matching.arrived(envelope);
  const bool is_there = receive != nullptr ? claim(peer, envelope) : !was_withdrawn(peer, envelope);
  if (!is_there) [[unlikely]] {
    if (receive != nullptr) {
      g.matching.put_back(*receive);
    }
    let_go_of_withdrawn(peer, envelope);
    return;
  }
  if (g.listener != nullptr) [[unlikely]] {
    tell_come(peer.pe, envelope, way, receive);
  }
  if (receive == nullptr) {
    g.matching.keep(keep(peer, envelope, data, way));
    rouse();
    return;
  }
  if (envelope.kind() == Kind::kHead) {
    ToldPlace told;
    if (data != nullptr) {
      std::memcpy(&told, data, sizeof told);  // its sender may write there
    }
    fetch(*receive, peer, envelope, data != nullptr ? &told : nullptr);
    return;
  }
  put_in_place(*receive, data, accept(*receive, peer, envelope));
  if (envelope.ticket != kNoTicket) {
    answer(peer, envelope, Answer::kReceived);
  }
  complete(*receive);
}

Kept& keep(const Peer& peer, const Envelope& envelope, const std::byte* data, Way way) noexcept {
  const std::uint64_t bytes = bytes_here(envelope);
  void* const memory = std::malloc(sizeof(Kept) + bytes);
  if (memory == nullptr) {
    base::fail(job::current_call(), "no memory for a message of %llu bytes that nobody has asked for yet",
               static_cast<unsigned long long>(bytes));
  }
  Kept& kept = *new (memory) Kept;
  kept.envelope = envelope;
  kept.pe = peer.pe;
  kept.way = way;
  kept.is_told = envelope.ticket == kNoTicket;
  if (data != nullptr && bytes > 0) {
    copy::copy(kept.data(), data, bytes);
  }
  g.unexpected += cost_of(bytes);
  if (g.unexpected > g.limit && !g.closed) {
    g.closed = true;
    const std::uint64_t told = std::clamp<std::uint64_t>(g.unexpected >> kKeptShift, 1, UINT32_MAX);
    // Relaxed: a wish.
    g.hub->closed.store(static_cast<std::uint32_t>(told), std::memory_order_relaxed);
  }
  return kept;
}

void drop(Kept& message) noexcept {
  const std::uint64_t bytes = bytes_here(message.envelope);
  g.unexpected -= cost_of(bytes);
  // Half of it, so that it does not change with each message.
  if (g.closed && g.unexpected < g.limit / 2) {
    g.closed = false;
    g.hub->closed.store(0, std::memory_order_relaxed);
  }
  message.~Kept();
  std::free(&message);
}

void give(Request& receive, Kept& message) noexcept {
  Peer& peer = peer_of(message.pe);
  if (message.is_coming) {
    message.receiver = &receive;
    receive.state.store(Request::State::kMoving, std::memory_order_relaxed);
    return;
  }
  const Envelope envelope = message.envelope;
  if (envelope.kind() == Kind::kHead) {
    drop(message);
    fetch(receive, peer, envelope, nullptr);
    return;
  }
  if (g.listener != nullptr && !message.is_told) [[unlikely]] {
    g.listener->came(peer.pe, envelope.context, envelope.bytes, message.way);
  }
  put_in_place(receive, message.data(), accept(receive, peer, envelope));
  drop(message);
  if (peer.local < 0) {
    answer_beyond(receive, peer, envelope);
    return;
  }
  if (envelope.ticket != kNoTicket) {
    answer(peer, envelope, Answer::kReceived);
  }
  complete(receive);
}

void complete(Request& request) noexcept {
  if (request.let_go != nullptr) [[unlikely]] {
    request.state.store(Request::State::kDone, std::memory_order_relaxed);
    request.let_go(request);
  } else {
    // Release: who sees it done sees the data and the status.
    request.state.store(Request::State::kDone, std::memory_order_release);
  }
  rouse();
}

}  // namespace weft::msg
