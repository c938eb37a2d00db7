// Sends to PEs of the node: into the box, into the queue, or kept back until there is room.

#include "msg/engine.hpp"

namespace weft::msg {
namespace {

Engine& g = g_engine;

enum class Went : std::uint8_t { kNo, kData, kHead };

void pack(const Data& data, std::byte* into) noexcept {
  if (data.bytes == 0) {
    return;
  }
  if (data.layout != nullptr) {
    data.layout->pack(data.at, 0, into, data.bytes);
  } else {
    copy::copy_staged(into, data.at, data.bytes);
  }
}

// Behind a head: where the data is, if in one place, as in the ticket, but in a line that the receiver has to read
// anyway.
static_assert(sizeof(ToldPlace) <= kInLine && sizeof(ToldPlace) <= Pool::kSmallRoom);

void write_data(const Request& request, Kind kind, std::byte* into) noexcept {
  if (kind == Kind::kData) {
    pack(request.data, into);
  } else {
    const ToldPlace told = request.ticket->n_ranges == 0 ? request.ticket->place : ToldPlace(reach::Place{});
    std::memcpy(into, &told, sizeof told);
  }
}

Envelope envelope_of(const Peer& peer, const Request& request, Kind kind) noexcept {
  Envelope envelope;
  envelope.sequence = peer.sent + 1;
  envelope.context = request.context;
  envelope.source = request.source;
  envelope.tag = request.tag;
  envelope.bytes = request.data.bytes;
  envelope.ticket = request.ticket == nullptr ? kNoTicket : g.pool.number_of(*request.ticket);
  envelope.what = Envelope::what_of(kind, request.signature) | (request.is_watched ? Envelope::kWatched : 0);
  return envelope;
}

bool is_closed(Peer& peer) noexcept {
  // Relaxed: it is a wish, and data that goes nevertheless is taken.
  peer.closed = peer.hub->closed.load(std::memory_order_relaxed) != 0;
  return peer.closed;
}

// The receiver offers a larger box by telling another spot; what is in the old one comes first.
void look_for_box(Peer& peer) noexcept {
  // Acquire: the box was cleared before it was told.
  const BoxSpot spot = peer.hub->box_for(g.node->local).load(std::memory_order_acquire);
  if (spot == peer.out_spot) [[likely]] {
    return;
  }
  const std::uint32_t lines = lines_of_box(spot);
  const std::uint64_t offset = offset_of_box(spot);
  if (lines < 4 || lines > kMostLines || !g.node->own.holds(offset, box_bytes(lines))) {
    damaged(peer, "there is no such box");
  }
  if (peer.out.is_open()) {
    Line* const last = peer.out.reserve(1, peer.sent + 1);
    if (last == nullptr) {
      return;
    }
    Envelope moved;
    moved.what = Envelope::what_of(Kind::kMoved, 0);
    last->write(moved);
    peer.out.publish(last, 1, peer.sent + 1);
  }
  peer.out.open(reinterpret_cast<BoxHead*>(g.node->own.at(peer.local, offset)), lines);
  peer.out_spot = spot;
}

bool put_into_box(Peer& peer, const Request& request, Kind kind) noexcept {
  if (!peer.out.is_open() || peer.out.has_looked()) {
    look_for_box(peer);
    (void)is_closed(peer);
  }
  if (!peer.out.is_open()) {
    return false;
  }
  const std::uint32_t lines = kind == Kind::kHead ? 1 : lines_of(request.data.bytes);
  Line* const line = peer.out.reserve(lines, peer.sent + 1);
  if (line == nullptr) {
    return false;
  }
  line->write(envelope_of(peer, request, kind));
  write_data(request, kind, line->data());
  peer.out.publish(line, lines, peer.sent + 1);
  return true;
}

bool put_into_queue(Peer& peer, const Request& request, Kind kind) noexcept {
  const Pool::Node node = g.pool.node(kind == Kind::kHead ? 0 : request.data.bytes);
  if (node.at == nullptr) {
    return false;
  }
  node.at->envelope = envelope_of(peer, request, kind);
  write_data(request, kind, node.at->data());
  if (!push(peer.hub->queue, node.spot, *node.at, node_at)) {
    damaged_queue();
  }
  return true;
}

bool has_ticket(Peer& peer, Request& request) noexcept {
  if (request.ticket == nullptr && has_room_for_head(peer)) {
    request.ticket = g.pool.ticket();
    if (request.ticket != nullptr) {
      // Few: each is of a call that waits for it.
      request.is_watched = request.is_blocking;
      ++peer.heads;
      ++g.heads;
    }
  }
  return request.ticket != nullptr;
}

Went put_data(Peer& peer, Request& request) noexcept {
  if (request.data.bytes > kMostEager || (peer.closed && is_closed(peer)) ||
      (request.mode == Mode::kSynchronous && !has_ticket(peer, request))) {
    return Went::kNo;
  }
  if (put_into_box(peer, request, Kind::kData)) {
    return Went::kData;
  }
  // What overflows a box stays at home. Without a box the receiver makes one when it sees the first messages.
  const bool may_queue = !peer.out.is_open() && !is_closed(peer);
  return may_queue && put_into_queue(peer, request, Kind::kData) ? Went::kData : Went::kNo;
}

Went put_head(Peer& peer, Request& request) noexcept {
  // A send that its caller waits for may as well wait for room, in the box or for one more in the queue, if it is only
  // that which is missing: a head would have it wait until somebody asks for the message.
  const bool waits_for_room =
      request.is_blocking && request.data.bytes <= kMostEager && !peer.closed && request.mode != Mode::kSynchronous;
  if (waits_for_room || !has_ticket(peer, request) || !describe(request, *request.ticket)) {
    return Went::kNo;
  }
  prepare_unasked(peer, request);
  return put_into_box(peer, request, Kind::kHead) || put_into_queue(peer, request, Kind::kHead) ? Went::kHead
                                                                                                : Went::kNo;
}

bool try_send_here(Peer& peer, Request& request) noexcept {
  Went went = put_data(peer, request);
  if (went == Went::kNo) {
    went = put_head(peer, request);
  }
  if (went == Went::kNo) {
    return false;
  }
  ++peer.sent;
  ring(peer);
  if (request.ticket == nullptr) {
    complete(request);
  } else {
    // Relaxed: only done() is looked at without the guard.
    request.state.store(Request::State::kMoving, std::memory_order_relaxed);
    await_answer(request);
  }
  return true;
}

bool try_send(Peer& peer, Request& request) noexcept {
  return peer.local >= 0 ? try_send_here(peer, request) : try_send_beyond(peer, request);
}

}  // namespace

void begin_send(Request& request) noexcept {
  Peer& peer = peer_of(request.pe);
  if (peer.waiting.empty() && try_send(peer, request)) [[likely]] {
    return;
  }
  // Relaxed: only done() is looked at without the guard.
  request.state.store(Request::State::kWaiting, std::memory_order_relaxed);
  if (!peer.is_listed) {
    g.with_waiting.push_back(&peer);
    peer.is_listed = true;
  }
  peer.waiting.append(request);
}

void send_waiting() noexcept {
  for (std::size_t k = 0; k < g.with_waiting.size();) {
    Peer& peer = *g.with_waiting[k];
    while (Request* const first = peer.waiting.first()) {
      // Out of the row first: where it goes next it stands in another one.
      peer.waiting.take_out(*first);
      if (!try_send(peer, *first)) {
        peer.waiting.put_first(*first);
        break;
      }
    }
    if (peer.waiting.empty()) {
      peer.is_listed = false;
      g.with_waiting[k] = g.with_waiting.back();
      g.with_waiting.pop_back();
    } else {
      ++k;
    }
  }
}

bool withdraw_send(Request& request) noexcept {
  Peer& peer = peer_of(request.pe);
  if (request.state.load(std::memory_order_relaxed) == Request::State::kWaiting) {
    peer.waiting.take_out(request);
    give_back_ticket(request);
    forget_beyond(request);
  } else if (peer.local < 0) {
    ask_back(request);
    return false;
  } else if (!withdraw_here(request)) {
    return false;
  }
  request.status.cancelled = true;
  complete(request);
  return true;
}

}  // namespace weft::msg
