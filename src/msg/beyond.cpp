// Messages with PEs of other nodes, by the transport's messages: small data with its envelope, large data when the
// receiver asks for it. Handlers come in on whichever thread lets the network go on, so all of this is under the guard.
#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <new>

#include "base/lines.hpp"
#include "msg/beyond.hpp"

namespace weft::msg {
namespace {

Engine& g = g_engine;

// To ask first takes a round trip, which 64 KiB and more take on the way; what comes too early is copied once more.
constexpr std::uint64_t kMostEagerBeyond = std::uint64_t{1} << 17;
// Data that is packed or unpacked goes in pieces, so that the copy has a bound.
constexpr std::uint64_t kPackedBytes = std::uint64_t{1} << 20;
constexpr std::uint64_t kHeadCost = 128;

[[noreturn]] void wrong(int pe, const char* what) noexcept {
  base::fail(job::current_call(), "PE %d %s; do all run the same program?", pe, what);
}

void* memory_for(std::uint64_t bytes) noexcept {
  void* const memory = std::malloc(bytes);
  if (memory == nullptr) {
    base::fail(job::current_call(), "no memory for %llu bytes of a message", static_cast<unsigned long long>(bytes));
  }
  return memory;
}

// --- numbers -------------------------------------------------------------------------------------------------------

// Of one that has gone there: others do not know of its number.
Request& numbered(const Numbers& table, std::uint32_t number, int pe) noexcept {
  Request* const request = table.find(number);
  if (request == nullptr || (request->is_send ? request->pe : request->status.pe) != pe ||
      request->state.load(std::memory_order_relaxed) != Request::State::kMoving) {
    wrong(pe, "answers a message that there is not");
  }
  return *request;
}

// --- what is said beside messages ------------------------------------------------------------------------------------

bool tell_saying(const Peer& peer, const Saying& saying) noexcept {
  transport::Pending none;  // without data nothing stays under way
  return g.network->tell(peer.pe, {.kind = saying.kind, .head = &saying, .head_bytes = sizeof saying}, none) !=
         transport::Told::kAgain;
}

void say_what_waits() noexcept {
  for (std::size_t k = 0; k < g.with_sayings.size();) {
    Peer& peer = *g.with_sayings[k];
    std::size_t told = 0;
    while (told < peer.sayings.size() && tell_saying(peer, peer.sayings[told])) {
      ++told;
    }
    peer.sayings.erase(peer.sayings.begin(), peer.sayings.begin() + static_cast<std::ptrdiff_t>(told));
    if (peer.sayings.empty()) {
      g.with_sayings[k] = g.with_sayings.back();
      g.with_sayings.pop_back();
    } else {
      ++k;
    }
  }
}

// --- sending ---------------------------------------------------------------------------------------------------------

void complete_send(Request& send) noexcept {
  forget_beyond(send);
  complete(send);
}

// The data from `position` on, as the network wants it: in one piece.
const void* in_one_piece(Request& send, std::uint64_t position, std::uint64_t bytes) noexcept {
  if (send.data.layout == nullptr || bytes == 0) {
    return static_cast<const std::byte*>(send.data.at) + position;
  }
  if (send.packed == nullptr) {
    send.packed = memory_for(std::min(send.data.bytes, kPackedBytes));
  }
  send.data.layout->pack(send.data.at, position, send.packed, bytes);
  return send.packed;
}

// Its next pieces, until one is under way or there is no room. True: all has gone.
bool send_pieces(Request& send) noexcept {
  while (send.pending.done() && send.fetched < send.wanted) {
    const std::uint64_t bytes = std::min(send.wanted - send.fetched, send.piece);
    const Saying head{.kind = kContent,
                      .ticket = 0,
                      .receiver = send.their_number,
                      .unused = 0,
                      .bytes = send.fetched,
                      .piece = bytes};
    const void* const data = in_one_piece(send, send.fetched, bytes);
    if (g.network->tell(send.pe,
                        {.kind = kContent, .head = &head, .head_bytes = sizeof head, .data = data, .bytes = bytes},
                        send.pending) == transport::Told::kAgain) {
      return false;
    }
    send.fetched += bytes;
  }
  return send.fetched == send.wanted && send.pending.done();
}

void wanted(int pe, const Saying& asked) noexcept {
  Request& send = numbered(g.sends_beyond, asked.ticket, pe);
  if (!send.awaits_answer || asked.bytes > send.data.bytes || asked.piece == 0) {
    wrong(pe, "wants of a message what there is not");
  }
  send.awaits_answer = false;
  send.wanted = asked.bytes;
  send.fetched = 0;
  send.their_number = asked.receiver;
  send.piece = send.data.layout != nullptr ? std::min(asked.piece, kPackedBytes) : asked.piece;
  if (send_pieces(send)) {
    complete_send(send);
  } else {
    g.sending.append(send);
  }
}

// Or withdrawn, which only what was asked back can be.
void ended(int pe, const Saying& answer) noexcept {
  Request& send = numbered(g.sends_beyond, answer.ticket, pe);
  const bool is_withdrawn = answer.kind == kWithdrawn;
  if (!send.awaits_answer || (is_withdrawn && !send.is_asked_back)) {
    wrong(pe, "answers a message twice");
  }
  send.awaits_answer = false;
  send.status.cancelled = is_withdrawn;
  // Its data may still be under way as the network counts.
  if (send.pending.done()) {
    complete_send(send);
  } else {
    g.sending.append(send);
  }
}

// --- receiving -------------------------------------------------------------------------------------------------------

// Data of an eager message for a receive that takes it where it is to go.
struct Direct {
  Request* receive;
  Envelope envelope;
};
// A part of a large one; of data that is unpacked the bytes follow.
struct Part {
  Request* receive;
  std::uint64_t position;
  std::uint64_t bytes;
  std::byte* data() noexcept { return reinterpret_cast<std::byte*>(this + 1); }
};
// What a landing's cookie is: which of the three, and where.
enum class Coming : std::uintptr_t { kKept = 0, kDirect = 1, kPart = 2 };
void* cookie_of(const void* at, Coming what) noexcept {
  return reinterpret_cast<void*>(reinterpret_cast<std::uintptr_t>(at) | static_cast<std::uintptr_t>(what));
}
template <class T>
T& from_cookie(void* cookie) noexcept {
  return *reinterpret_cast<T*>(reinterpret_cast<std::uintptr_t>(cookie) & ~std::uintptr_t{3});
}

transport::Landing place_data(Peer& peer, const Envelope& envelope) noexcept {
  Request* const receive = g.matching.arrived(envelope);
  if (g.listener != nullptr) [[unlikely]] {
    tell_come(peer.pe, envelope, Way::kNetwork, receive);
  }
  if (receive != nullptr && receive->data.layout == nullptr && envelope.bytes <= receive->data.bytes) {
    (void)accept(*receive, peer, envelope);
    auto* const direct = new (memory_for(sizeof(Direct))) Direct{receive, envelope};
    return {receive->data.at, cookie_of(direct, Coming::kDirect)};
  }
  Kept& kept = keep(peer, envelope, nullptr, Way::kNetwork);
  kept.is_coming = true;
  kept.receiver = receive;
  if (receive == nullptr) {
    g.matching.keep(kept);
    rouse();
  } else {
    kept.is_told = true;
  }
  return {kept.data(), cookie_of(&kept, Coming::kKept)};
}

transport::Landing place_message(const transport::Arrival& arrival) noexcept {
  Envelope envelope;
  if (arrival.head_bytes != sizeof envelope) {
    wrong(arrival.pe, "sends a message without an envelope");
  }
  std::memcpy(&envelope, arrival.head, sizeof envelope);
  Peer& peer = peer_of(arrival.pe);
  const bool is_data = envelope.kind() == Kind::kData;
  if ((!is_data && envelope.kind() != Kind::kHead) || envelope.sequence != peer.expected ||
      arrival.bytes != (is_data ? envelope.bytes : 0) || arrival.bytes > kMostEagerBeyond) {
    wrong(arrival.pe, "sends a message with a wrong envelope");
  }
  ++peer.expected;
  if (is_data) {
    return place_data(peer, envelope);
  }
  deliver(peer, envelope, nullptr, Way::kNetwork);
  return {};
}

transport::Landing place_content(const transport::Arrival& arrival, const Saying& head) noexcept {
  Request& receive = numbered(g.receives_beyond, head.receiver, arrival.pe);
  // They come in the order in which they were told, so none comes twice, and none while the last one does.
  if (head.bytes != receive.moved || arrival.bytes == 0 || arrival.bytes > receive.wanted - receive.moved ||
      arrival.bytes > receive.piece) {
    wrong(arrival.pe, "sends what was not asked for of a message");
  }
  receive.moved += arrival.bytes;
  const bool is_packed = receive.data.layout != nullptr;
  auto* const part =
      new (memory_for(sizeof(Part) + (is_packed ? arrival.bytes : 0))) Part{&receive, head.bytes, arrival.bytes};
  void* const at = is_packed ? static_cast<void*>(part->data()) : static_cast<std::byte*>(receive.data.at) + head.bytes;
  return {at, cookie_of(part, Coming::kPart)};
}

Saying saying_of(const transport::Arrival& arrival) noexcept {
  Saying saying;
  if (arrival.head_bytes != sizeof saying) {
    wrong(arrival.pe, "says something about a message that is not understood");
  }
  std::memcpy(&saying, arrival.head, sizeof saying);
  return saying;
}

transport::Landing place(void* /*self*/, const transport::Arrival& arrival,
                         transport::Answerer& /*answerer*/) noexcept {
  const Guard guard;
  if (!g.running && (arrival.kind == kAllowance || arrival.kind == kAskedBack)) {
    return {};  // on its way when all had met for the last time; what is asked back had been received by then
  }
  if (!g.running) {
    wrong(arrival.pe, "sends a message to a PE that has ended its part");
  }
  switch (arrival.kind) {
    case kMessage: return place_message(arrival);
    case kContent: return place_content(arrival, saying_of(arrival));
    case kWanted: wanted(arrival.pe, saying_of(arrival)); break;
    case kReceived:
    case kWithdrawn: ended(arrival.pe, saying_of(arrival)); break;
    case kAskedBack: asked_back(arrival.pe, saying_of(arrival)); break;
    default: {
      Peer& peer = peer_of(arrival.pe);
      peer.allowance = std::min(peer.allowance + saying_of(arrival).bytes, g.allowance);
    }
  }
  return {};
}

void has_come(Kept& kept) noexcept {
  kept.is_coming = false;
  if (kept.is_withdrawn) {
    drop_beyond(peer_of(kept.pe), kept);
  } else if (kept.receiver != nullptr) {
    give(*kept.receiver, kept);
  }
}

void has_come(Part& part) noexcept {
  Request& receive = *part.receive;
  if (receive.data.layout != nullptr) {
    receive.data.layout->unpack(receive.data.at, part.position, part.data(), part.bytes);
  }
  receive.fetched += part.bytes;
  std::free(&part);
  if (receive.fetched == receive.wanted) {
    (void)g.receives_beyond.take(receive);
    if (g.listener != nullptr) [[unlikely]] {
      g.listener->came(receive.status.pe, receive.context, receive.wanted, Way::kNetwork);
    }
    complete(receive);
  }
}

void arrived(void* /*self*/, const transport::Arrival& arrival, transport::Answerer& /*answerer*/) noexcept {
  void* const cookie = arrival.landing.cookie;
  if (cookie == nullptr) {
    return;
  }
  const Guard guard;
  switch (static_cast<Coming>(reinterpret_cast<std::uintptr_t>(cookie) & 3)) {
    case Coming::kKept: has_come(from_cookie<Kept>(cookie)); break;
    case Coming::kPart: has_come(from_cookie<Part>(cookie)); break;
    case Coming::kDirect: {
      Direct& direct = from_cookie<Direct>(cookie);
      answer_beyond(*direct.receive, peer_of(arrival.pe), direct.envelope);
      std::free(&direct);
    }
  }
}

}  // namespace

void say(Peer& peer, const Saying& saying) noexcept {
  if (peer.sayings.empty() && tell_saying(peer, saying)) {
    return;
  }
  if (peer.sayings.empty()) {
    g.with_sayings.push_back(&peer);
  }
  peer.sayings.push_back(saying);
}

// Room for data is told of when half of it has come together, so that few messages are needed for that.
void give_back(Peer& peer, std::uint64_t bytes) noexcept {
  peer.to_give_back += bytes + kHeadCost;
  if (peer.to_give_back >= g.allowance / 2) {
    say(peer, {.kind = kAllowance, .ticket = 0, .receiver = 0, .unused = 0, .bytes = peer.to_give_back, .piece = 0});
    peer.to_give_back = 0;
  }
}

void add_kinds() noexcept {
  for (const transport::Kind kind : {kMessage, kWanted, kContent, kReceived, kAllowance, kAskedBack, kWithdrawn}) {
    (void)transport::kinds().add(kind, {.place = place, .arrived = arrived});
  }
}

void forget_beyond(Request& send) noexcept {
  std::free(send.packed);
  send.packed = nullptr;
  if (g.sends_beyond.take(send)) {
    --peer_of(send.pe).heads;
    --g.heads;
  }
}

bool try_send_beyond(Peer& peer, Request& request) noexcept {
  const std::uint64_t bytes = request.data.bytes;
  const bool is_eager = bytes <= kMostEagerBeyond && bytes + kHeadCost <= peer.allowance;
  request.awaits_answer = !is_eager || request.mode == Mode::kSynchronous;
  if (request.awaits_answer && request.number == UINT32_MAX) {
    if (!has_room_for_head(peer)) {
      return false;
    }
    g.sends_beyond.give(request);
    ++peer.heads;
    ++g.heads;
  }
  Envelope envelope;
  envelope.sequence = peer.sent + 1;
  envelope.context = request.context;
  envelope.source = request.source;
  envelope.tag = request.tag;
  envelope.bytes = bytes;
  envelope.ticket = request.awaits_answer ? request.number : kNoTicket;
  envelope.what = Envelope::what_of(is_eager ? Kind::kData : Kind::kHead, request.signature);
  request.envelope.sequence = envelope.sequence;
  transport::Message message{.kind = kMessage, .head = &envelope, .head_bytes = sizeof envelope};
  if (is_eager) {
    message.data = in_one_piece(request, 0, bytes);
    message.bytes = bytes;
  }
  // What is under way is eager data only; `wanted` and `fetched` say that no more is asked for.
  request.wanted = request.fetched = 0;
  request.state.store(Request::State::kMoving, std::memory_order_relaxed);
  const transport::Told told = g.network->tell(peer.pe, message, request.pending);
  if (told == transport::Told::kAgain) {
    request.state.store(Request::State::kWaiting, std::memory_order_relaxed);
    return false;
  }
  ++peer.sent;
  peer.allowance -= is_eager ? bytes + kHeadCost : 0;
  if (!request.awaits_answer) {
    if (told == transport::Told::kDone) {
      complete_send(request);
    } else {
      g.sending.append(request);
    }
  }
  return true;
}

void fetch_beyond(Request& receive, Peer& peer, const Envelope& envelope) noexcept {
  if (receive.wanted == 0) {
    say(peer, {.kind = kReceived, .ticket = envelope.ticket, .receiver = 0, .unused = 0, .bytes = 0, .piece = 0});
    complete(receive);
    return;
  }
  receive.fetched = 0;
  receive.piece = receive.data.layout != nullptr ? kPackedBytes : UINT64_MAX;
  receive.state.store(Request::State::kMoving, std::memory_order_relaxed);
  g.receives_beyond.give(receive);
  say(peer, {.kind = kWanted,
             .ticket = envelope.ticket,
             .receiver = receive.number,
             .unused = 0,
             .bytes = receive.wanted,
             .piece = receive.piece});
}

void answer_beyond(Request& receive, Peer& peer, const Envelope& envelope) noexcept {
  if (envelope.ticket != kNoTicket) {
    say(peer, {.kind = kReceived, .ticket = envelope.ticket, .receiver = 0, .unused = 0, .bytes = 0, .piece = 0});
  }
  give_back(peer, envelope.bytes);
  complete(receive);
}

void go_on_beyond() noexcept {
  if (!g.with_sayings.empty()) {
    say_what_waits();
  }
  g.sending.each([](Request& send) {
    if (send_pieces(send)) {
      g.sending.take_out(send);
      complete_send(send);
    }
  });
}

}  // namespace weft::msg
