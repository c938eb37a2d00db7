#include "msg/messages.hpp"

#include <algorithm>
#include <cstring>

#include "msg/engine.hpp"
#include "msg/expected.hpp"
#include "msg/waiting.hpp"

namespace weft::msg {
namespace {

Engine& g = g_engine;

// Polls of one box before a receive is posted: a few round trips of a cache line.
constexpr int kLooksAtOneBox = 65;

void make_send(Request& request, const To& to, const Data& data, Mode mode) noexcept {
  request.is_send = true;
  request.let_go = nullptr;
  request.is_described = false;
  request.is_copying = false;
  request.is_with_receiver = false;
  request.is_watched = false;
  request.is_asked_back = false;
  request.mode = mode;
  request.context = to.context;
  request.source = to.source;
  request.tag = to.tag;
  request.signature = to.signature;
  request.pe = to.pe;
  request.data = data;
  request.status = {};
}

void tell_sent(const To& to, std::uint64_t bytes) noexcept {
  if (g.listener != nullptr) [[unlikely]] {
    g.listener->sent(to.pe, to.context, bytes);
  }
}

void make_receive(Request& request, const From& from, const Data& data) noexcept {
  request.is_send = false;
  request.let_go = nullptr;
  request.context = from.context;
  request.source = from.source;
  request.tag = from.tag;
  request.signature = from.signature;
  request.pe = from.pe;
  request.data = data;
  request.status = {};
  // Relaxed: only done() is looked at without the guard.
  request.state.store(Request::State::kPosted, std::memory_order_relaxed);
}

void begin_receive(Request& request) noexcept {
  Kept* const message = take_kept(Matching::pattern_of(request));
  if (message == nullptr) {
    g.matching.post(request);
  } else {
    give(request, *message);
  }
}

// The commonest send: to a PE of this node whose box has room. Nothing is left to wait for.
bool send_through_box(const To& to, const Data& data, Mode mode) noexcept {
  const Guard guard;
  Peer* const peer = g.peers[static_cast<std::size_t>(to.pe)].get();
  if (peer == nullptr || !peer->out.is_open() || !peer->waiting.empty() || peer->closed || peer->out.looks_full() ||
      mode == Mode::kSynchronous) [[unlikely]] {
    return false;
  }
  const std::uint32_t sequence = peer->sent + 1;
  const std::uint32_t lines = lines_of(data.bytes);
  Line* const line = peer->out.reserve(lines, sequence);
  if (line == nullptr) [[unlikely]] {
    return false;
  }
  Envelope envelope;
  envelope.context = to.context;
  envelope.source = to.source;
  envelope.tag = to.tag;
  envelope.bytes = data.bytes;
  envelope.what = Envelope::what_of(Kind::kData, to.signature);
  line->write(envelope);
  if (data.bytes == 8) {
    std::memcpy(line->data(), data.at, 8);
  } else {
    copy::copy_staged(line->data(), data.at, data.bytes);
  }
  peer->out.publish(line, lines, sequence);
  peer->sent = sequence;
  ring(*peer);
  tell_sent(to, data.bytes);
  return true;
}

[[gnu::noinline]] void tell_taken(const Peer& peer, const Envelope& envelope, bool waited) noexcept {
  if (waited) {
    g.listener->awaited(peer.pe, envelope.context);
  }
  g.listener->came(peer.pe, envelope.context, envelope.bytes, Way::kBox);
}

// The entry that comes next, which may be elsewhere in the box.
const Line* next_of(Peer& peer) noexcept {
  const Line* const line = peer.in.look(peer.expected);
  if (line == nullptr || line->kind() != Kind::kSkip || !skip(peer, line->bytes)) [[likely]] {
    return line;
  }
  return peer.in.look(peer.expected);
}

enum class Took : std::uint8_t { kIt, kNotYet, kNever };

// The next message of that PE, if nothing else is awaited and it is the one, and whole.
Took take_from_box(const From& from, const Data& data, Status* status, int looks, bool waits) noexcept {
  const Guard guard;
  Peer* const peer = g.peers[static_cast<std::size_t>(from.pe)].get();
  if (peer == nullptr || !peer->in.is_open() || g.matching.kept() != 0 || !g.matching.none_posted()) {
    return Took::kNever;
  }
  const Line* line = next_of(*peer);
  waits = waits || line == nullptr;
  if (line == nullptr) {
    ExpectedLines expected(data, peer->last_bytes);
    for (int k = 1; line == nullptr && k < looks; ++k) {
      expected.some();
      sync::relax();
      line = next_of(*peer);
    }
  }
  if (line == nullptr) {
    return Took::kNotYet;
  }
  const Envelope envelope = line->read(peer->expected);
  if (envelope.kind() != Kind::kData || envelope.ticket != kNoTicket || envelope.bytes > kMostEager ||
      envelope.bytes > data.bytes || !Pattern{from.context, from.source, from.tag}.fits(envelope) ||
      (from.signature != 0 && envelope.signature() != from.signature) || !peer->parked.empty()) {
    return Took::kNever;
  }
  // What is longer than its box is told of by the way of all others.
  const std::uint32_t lines = lines_of(envelope.bytes);
  if (lines > peer->in.to_end()) [[unlikely]] {
    return Took::kNever;
  }
  if (envelope.bytes == 8) {
    std::memcpy(data.at, line->data(), 8);
  } else {
    copy::copy(data.at, line->data(), envelope.bytes);
  }
  peer->in.take(lines);
  ++peer->expected;
  peer->skipped = false;
  peer->last_bytes = envelope.bytes;
  if (g.listener != nullptr) [[unlikely]] {
    tell_taken(*peer, envelope, waits);
  }
  *status = {envelope.source, envelope.tag, envelope.bytes, peer->pe, Fault::kNone, false, envelope.signature()};
  return Took::kIt;
}

// The commonest receive: soon, and by the way above.
bool receive_from_box(const From& from, const Data& data, Status* status) noexcept {
  if (from.pe < 0 || data.layout != nullptr) {
    return false;
  }
  if (!g.several) [[likely]] {
    return take_from_box(from, data, status, kLooksAtOneBox, false) == Took::kIt;
  }
  // Others are let in between two looks.
  Took took = Took::kNotYet;
  for (int k = 0; took == Took::kNotYet && k < kLooksAtOneBox; ++k) {
    if (k > 0) {
      sync::relax();
    }
    took = take_from_box(from, data, status, 1, k > 0);
  }
  return took == Took::kIt;
}

Status status_of(const Kept& message) noexcept {
  return {message.envelope.source,     message.envelope.tag, message.envelope.bytes, message.pe, Fault::kNone, false,
          message.envelope.signature()};
}

bool find(const From& from, Status* status) noexcept {
  const Kept* const message = find_kept({from.context, from.source, from.tag});
  if (message != nullptr) {
    *status = status_of(*message);
  }
  return message != nullptr;
}

Kept* find_and_take(const From& from, Status* status) noexcept {
  Kept* const message = take_kept({from.context, from.source, from.tag});
  if (message != nullptr) {
    *status = status_of(*message);
  }
  return message;
}

job::Awaited awaited_of(const From& from) noexcept {
  return {.why = boot::Waiting::kMessage,
          .wanted = from.context,
          .root = from.pe,
          .index = static_cast<std::uint32_t>(from.tag)};
}

void poll_network() noexcept {
  if (g.network != nullptr && g.node->patience.poll != nullptr) {
    g.node->patience.poll();
  }
}

}  // namespace

job::Awaited awaited_of(const Request& request) noexcept {
  job::Awaited awaited = awaited_of({request.context, request.pe, request.source, request.tag, 0});
  awaited.compare = request.is_send ? boot::kToBeTaken : 0;
  return awaited;
}

// Apart, as a request is large and its registers are to be saved for it only.
[[gnu::noinline]] static Fault send_by_request(const To& to, const Data& data, Mode mode) noexcept {
  Request request;
  request.is_blocking = true;
  start_send(request, to, data, mode);
  wait(request);
  return request.status.fault;
}

Fault send(const To& to, const Data& data, Mode mode) noexcept {
  return send_at_once(to, data, mode) ? Fault::kNone : send_by_request(to, data, mode);
}

bool send_at_once(const To& to, const Data& data, Mode mode) noexcept {
  return data.bytes <= kMostEager && data.layout == nullptr && send_through_box(to, data, mode);
}

[[gnu::noinline]] static Status receive_by_request(const From& from, const Data& data) noexcept {
  Request request;
  start_receive(request, from, data);
  wait(request);
  return request.status;
}

Status receive(const From& from, const Data& data) noexcept {
  Status status;
  return receive_from_box(from, data, &status) ? status : receive_by_request(from, data);
}

Status send_receive(const To& to, const Data& out, const From& from, const Data& in) noexcept {
  Request receiving;
  start_receive(receiving, from, in);
  Request sending;
  sending.is_blocking = true;
  start_send(sending, to, out);
  wait(sending);
  wait(receiving);
  return receiving.status;
}

void start_send(Request& request, const To& to, const Data& data, Mode mode) noexcept {
  make_send(request, to, data, mode);
  const Guard guard;
  tell_sent(to, data.bytes);
  begin_send(request);
}

void start_receive(Request& request, const From& from, const Data& data) noexcept {
  make_receive(request, from, data);
  const Guard guard;
  begin_receive(request);
}

void start_receive(Request& request, Kept* message, const Data& data, std::uint32_t signature) noexcept {
  make_receive(request,
               {message->envelope.context, message->pe, message->envelope.source, message->envelope.tag, signature},
               data);
  const Guard guard;
  give(request, *message);
}

bool test(Request& request) noexcept {
  if (request.done()) {
    return true;
  }
  progress();
  return request.done();
}

void wait(Request& request) noexcept {
  if (request.done()) {
    return;
  }
  const job::Awaited awaited = awaited_of(request);
  wait_for(awaited, &request, [&request]() noexcept { return request.done(); });
}

bool cancel(Request& request) noexcept {
  const Guard guard;
  if (request.done()) {
    return false;
  }
  if (request.is_send) {
    return withdraw_send(request);
  }
  if (request.state.load(std::memory_order_relaxed) != Request::State::kPosted || !g.matching.withdraw(request)) {
    return false;
  }
  request.status.cancelled = true;
  complete(request);
  return true;
}

void let_go(Request& request, void (*then)(Request& request) noexcept) noexcept {
  {
    const Guard guard;
    if (!request.done()) {
      request.let_go = then;
      return;
    }
  }
  then(request);
}

bool probe(const From& from, Status* status) noexcept {
  poll_network();
  const Guard guard;
  if (find(from, status)) {
    return true;
  }
  (void)go_on();
  return find(from, status);
}

Status wait_for_message(const From& from) noexcept {
  Status status;
  const job::Awaited awaited = awaited_of(from);
  wait_for(awaited, nullptr, [&]() noexcept {
    const Guard guard;
    return find(from, &status);
  });
  return status;
}

Kept* take(const From& from, Status* status) noexcept {
  poll_network();
  const Guard guard;
  Kept* const message = find_and_take(from, status);
  if (message != nullptr) {
    return message;
  }
  (void)go_on();
  return find_and_take(from, status);
}

Kept* wait_and_take(const From& from, Status* status) noexcept {
  Kept* message = nullptr;
  const job::Awaited awaited = awaited_of(from);
  wait_for(awaited, nullptr, [&]() noexcept {
    const Guard guard;
    message = find_and_take(from, status);
    return message != nullptr;
  });
  return message;
}

void progress() noexcept {
  poll_network();
  go_on_if_free();
}

void wait_until(bool (*done)(void* what) noexcept, void* what, const job::Awaited& awaited) noexcept {
  wait_for(awaited, nullptr, [=]() noexcept { return done(what); });
}

}  // namespace weft::msg
