// Messages: those that this PE tells, those that it is told, and the answers of both sides' handlers.
//
// They go both ways on one connection where that is possible: on one that is only read from, the system acknowledges
// each message by a packet of its own, which costs a third of a small message's time. So a PE tells by a connection
// that the other one has made, and of two that both have told by their own, the one with the larger number moves.
#include <sys/eventfd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

#include "transport/tcp/tcp.hpp"

namespace weft::transport::tcp {
namespace {

// A message's head lies in the request.
const std::byte* head_of(const Request& request) noexcept {
  return reinterpret_cast<const std::byte*>(&request) + offsetof(Request, key);
}
std::byte* head_of(Request& request) noexcept {
  return reinterpret_cast<std::byte*>(&request) + offsetof(Request, key);
}

// As many were taken when the sender is told of them. Less than all, so that it need not wait for that.
std::uint32_t tell_of_taken(const Setup& setup) noexcept { return std::max(setup.most_told / 4, 1U); }

}  // namespace

// How a handler answers on the connection that its message came by. The direction that answers is held up by nothing
// that is asked, and who asks always reads it. An answer in the other direction waits at most for the first one to be
// read.
class Tcp::Replier final : public Answerer {
 public:
  Replier(Tcp& tcp, Connection& connection) noexcept : tcp_(tcp), connection_(connection) {}

  bool answer(const Message& what) noexcept override {
    if (is_over() || what.bytes > kMostAnswer || what.head_bytes > kMostHead) {
      return false;
    }
    connection_.answered = true;
    tcp_.send_answer(connection_, what);
    return true;
  }
  Owed* keep() noexcept override {
    Owed* owed = is_over() ? nullptr : tcp_.LateAnswers::keep(connection_.pe, connection_.number);
    connection_.answered = connection_.answered || owed != nullptr;
    return owed;
  }

 private:
  bool is_over() const noexcept { return connection_.arrival.is_answer || connection_.answered; }

  Tcp& tcp_;
  Connection& connection_;
};

namespace {

struct ToldFrame {
  Response response;
  AnswerHead head;
};
static_assert(sizeof(ToldFrame) == sizeof(Response) + sizeof(AnswerHead));

ToldFrame frame_of(Answer answer, const Message& what) noexcept {
  ToldFrame frame{{answer, 1, what.bytes}, {what.kind, static_cast<std::uint8_t>(what.head_bytes), {}, {}}};
  if (what.head_bytes > 0) {
    std::memcpy(frame.head.head, what.head, std::min(what.head_bytes, kMostHead));
  }
  return frame;
}

Request request_of(Ask ask, const Message& what) noexcept {
  Request request{};
  request.ask = ask;
  request.kind = what.kind;
  request.head_bytes = static_cast<std::uint8_t>(what.head_bytes);
  request.bytes = what.bytes;
  if (what.head_bytes > 0) {
    std::memcpy(head_of(request), what.head, std::min(what.head_bytes, kMostHead));
  }
  return request;
}

}  // namespace

void Tcp::send_answer(Connection& connection, const Message& what) noexcept {
  if (connection.side == Connection::Side::kAsks) {
    const Lock lock(connection.mutex);
    post(connection, request_of(Ask::kToldBack, what), {what.data, what.bytes, Outbox::Keep::kCopy});
    return;
  }
  const ToldFrame frame = frame_of(Answer::kTold, what);
  // Another error is met again by who reads.
  if (connection.out.post(connection.fd, &frame, sizeof frame, what.data, what.bytes, Outbox::Keep::kCopy, nullptr) ==
      ENOMEM) {
    no_memory_for_answer(connection.pe);
  }
}

// Who has another connection by now did not ask on it.
void Tcp::send_late(int pe, std::uint64_t connection, const Message& what) noexcept {
  // Acquire: pairs with the exchange in connection_to().
  Connection* const own = to_[static_cast<std::size_t>(pe)].load(std::memory_order_acquire);
  Connection* const theirs = from(pe);
  if (theirs != nullptr && theirs->number == connection) {
    send_answer(*theirs, what);
    watch(*theirs);
  } else if (own != nullptr && own->number == connection) {
    send_answer(*own, what);
  }
}

void Tcp::no_memory_for_answer(int pe) noexcept { setup_.failed("an answer", pe, std::strerror(ENOMEM)); }

// --- what this PE tells ----------------------------------------------------------------------------------------------

Told Tcp::tell(int pe, const Message& what, Pending& pending) noexcept {
  // Relaxed: it says by what to tell, and what that is, is read with a lock.
  if (tells_by(pe).load(std::memory_order_relaxed) == TellsBy::kOwn) {
    return tell_by_own(pe, what, pending);
  }
  if (has_turn()) {
    return tell_by_theirs(pe, what, pending);
  }
  // Where another thread lets the network go on it may be long until it has done that, and may wait for this one.
  const Turn turn(*this, std::try_to_lock);
  if (!turn.is_mine()) {
    (void)::eventfd_write(wake_, 1);  // it looks once more for who has something to tell
    return Told::kAgain;
  }
  return tell_by_theirs(pe, what, pending);
}

Told Tcp::tell_by_own(int pe, const Message& what, Pending& pending) noexcept {
  Connection* connection = connection_to(pe);
  if (connection == nullptr) {
    return Told::kAgain;
  }
  const bool copies = what.bytes <= kCopyBytes;
  const Lock lock(connection->mutex);
  // Looked at again: behind kMove nothing is told here, and nothing where another thread has begun to tell by theirs.
  // seq_cst: see choose().
  const TellsBy by = tells_by(pe).load(std::memory_order_seq_cst);
  if (connection->may_tell == 0 || connection->out.copied_bytes() >= kMostCopied || by == TellsBy::kMoves ||
      by == TellsBy::kTheirs) {
    return Told::kAgain;
  }
  --connection->may_tell;
  connection->has_told = true;
  Request request = request_of(Ask::kTell, what);
  request.taken = static_cast<std::uint8_t>(std::min(connection->taken, std::uint32_t{UINT8_MAX}));
  connection->taken -= request.taken;
  post(*connection, request,
       {what.data, what.bytes, copies ? Outbox::Keep::kCopy : Outbox::Keep::kWhereItLies, copies ? nullptr : &pending});
  return copies ? Told::kDone : Told::kPosted;
}

// With the progress lock.
Told Tcp::tell_by_theirs(int pe, const Message& what, Pending& pending) noexcept {
  const TellsBy by = choose(pe);
  if (by == TellsBy::kOwn) {
    return tell_by_own(pe, what, pending);
  }
  Connection* const connection = from(pe);
  if (by == TellsBy::kMoves || connection->may_tell == 0 || connection->out.copied_bytes() >= kMostCopied) {
    return Told::kAgain;
  }
  --connection->may_tell;
  // As a message on the own connection takes it along.
  send_gathered();
  ToldFrame frame = frame_of(Answer::kTells, what);
  frame.response.times = std::exchange(connection->taken, 0);
  const bool copies = what.bytes <= kCopyBytes;
  // Another error is met again by who reads.
  if (connection->out.post(connection->fd, &frame, sizeof frame, what.data, what.bytes,
                           copies ? Outbox::Keep::kCopy : Outbox::Keep::kWhereItLies,
                           copies ? nullptr : &pending) == ENOMEM) {
    setup_.failed("sending", pe, std::strerror(ENOMEM));
  }
  watch(*connection);
  return copies ? Told::kDone : Told::kPosted;
}

// Of two that both have a connection, both tell by that of the smaller number, unless the other one is in use.
Tcp::TellsBy Tcp::choose(int pe) noexcept {
  std::atomic<TellsBy>& by = tells_by(pe);
  const TellsBy before = by.load(std::memory_order_relaxed);
  if (before != TellsBy::kChooses) {
    return before;
  }
  TellsBy next = TellsBy::kTheirs;
  const std::atomic<Connection*>& known = to_[static_cast<std::size_t>(pe)];
  // Acquire: pairs with the exchange in connection_to().
  Connection* own = known.load(std::memory_order_acquire);
  if (own == nullptr) {
    // seq_cst, as the exchange and the look in tell_by_own() are: either who makes one meanwhile finds what is stored
    // here, or what he has made is found here.
    by.store(next, std::memory_order_seq_cst);
    own = known.load(std::memory_order_seq_cst);
  }
  if (own != nullptr) {
    const Lock lock(own->mutex);
    if (own->called && (setup_.me <= pe || own->is_told_on)) {
      next = TellsBy::kOwn;
    } else if (own->has_told) {
      Request last{};
      last.ask = Ask::kMove;
      post(*own, last, {});
      next = TellsBy::kMoves;
    }
    by.store(next, std::memory_order_relaxed);
  }
  return next;
}

// All that was told on the own connection has come. False: nobody has asked for that.
bool Tcp::moved(int pe) noexcept {
  std::atomic<TellsBy>& by = tells_by(pe);
  if (by.load(std::memory_order_relaxed) != TellsBy::kMoves) {
    return false;
  }
  by.store(from(pe) != nullptr ? TellsBy::kTheirs : TellsBy::kOwn, std::memory_order_relaxed);
  return true;
}

// Of what was told on that connection so many were taken. False: more than were told.
bool Tcp::take_room(Connection& connection, std::uint64_t messages) const noexcept {
  const std::uint64_t used = setup_.most_told - connection.may_tell;
  connection.may_tell += messages <= used ? static_cast<std::uint32_t>(messages) : 0;
  return messages <= used || refuse(connection, "says that it has taken more than it was told");
}

// --- what it is told -------------------------------------------------------------------------------------------------

bool Tcp::told(Connection& connection) noexcept {
  const Request& request = connection.request;
  if (request.ask == Ask::kTell && !take_room(connection, request.taken)) {
    return false;
  }
  connection.arrival = {
      connection.pe, request.kind, request.ask == Ask::kToldBack, request.head_bytes, request.bytes, {}, {}};
  std::memcpy(connection.arrival.head, head_of(request), kMostHead);
  return place(connection);
}

bool Tcp::begin_told(Connection& connection, const Response& response) noexcept {
  const bool is_answer = response.answer == Answer::kTold;
  connection.arrival = {connection.pe, 0, is_answer, 0, response.value, {}, {}};
  connection.whole_head = sizeof(AnswerHead);
  if (is_answer) {
    return response.value <= kMostAnswer;
  }
  const Lock lock(connection.mutex);
  return response.value <= kMostData && take_room(connection, response.times);
}

bool Tcp::told_on_own(Connection& connection) noexcept {
  AnswerHead head;
  std::memcpy(&head, connection.head, sizeof head);
  connection.whole_head = sizeof(Response);
  connection.is_told_on = connection.is_told_on || !connection.arrival.is_answer;
  connection.arrival.kind = head.kind;
  connection.arrival.head_bytes = head.head_bytes;
  std::memcpy(connection.arrival.head, head.head, sizeof head.head);
  return head.head_bytes <= kMostHead && place(connection);
}

bool Tcp::place(Connection& connection) noexcept {
  Arrival& arrival = connection.arrival;
  if (!arrival.is_answer) {
    const Lock lock = lock_if_asks(connection);
    if (++connection.taken > setup_.most_told) {
      return refuse(connection, "tells more than it may");
    }
  }
  connection.handler = setup_.kinds == nullptr ? nullptr : setup_.kinds->find(arrival.kind);
  if (connection.handler == nullptr) {
    return refuse(connection, "tells what nobody here has a handler for");
  }
  connection.answered = false;
  Replier replier(*this, connection);
  arrival.landing = connection.handler->place(connection.handler->self, arrival, replier);
  connection.into = static_cast<std::byte*>(arrival.landing.at);
  connection.left = arrival.bytes;
  if (arrival.bytes == 0) {
    arrived(connection);
  }
  return true;
}

void Tcp::arrived(Connection& connection) noexcept {
  Replier replier(*this, connection);
  const Handler& handler = *connection.handler;
  handler.arrived(handler.self, connection.arrival, replier);
  connection.handler = nullptr;
  if (!connection.arrival.is_answer) {
    say_taken(connection);
  }
}

Tcp::Lock Tcp::lock_if_asks(Connection& connection) noexcept {
  return connection.side == Connection::Side::kAsks ? Lock(connection.mutex) : Lock();
}

// Unless a message in the other direction does before long.
void Tcp::say_taken(Connection& connection) noexcept {
  const Lock lock = lock_if_asks(connection);
  if (connection.taken < tell_of_taken(setup_)) {
    return;
  }
  const std::uint32_t taken = std::exchange(connection.taken, 0);
  if (connection.side == Connection::Side::kAnswers) {
    reply(connection, Answer::kRoom, taken);
    return;
  }
  Request request{};
  request.ask = Ask::kTaken;
  request.bytes = taken;
  post(connection, request, {});
}

// Between two messages there is none.
void Tcp::forget_arrival(Connection& connection) noexcept {
  const Handler* handler = std::exchange(connection.handler, nullptr);
  if (handler != nullptr && handler->lost != nullptr) {
    handler->lost(handler->self, connection.arrival);
  }
}

}  // namespace weft::transport::tcp
