// Messages: those that this PE tells, those that it is told, and the answers of both sides' handlers.
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
// that is asked, and who asks always reads it.
class Tcp::Replier final : public Answerer {
 public:
  Replier(Tcp& tcp, Connection& connection) noexcept : tcp_(tcp), connection_(connection) {}

  bool answer(const Message& what) noexcept override {
    if (is_over() || what.bytes > kMostAnswer || what.head_bytes > kMostHead) {
      return false;
    }
    connection_.answered = true;
    if (tcp_.n_replies_ > 0) {
      tcp_.send_replies(connection_, nullptr, 0);
    }
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

void Tcp::send_answer(Connection& connection, const Message& what) noexcept {
  struct {
    Response response;
    AnswerHead head;
  } frame{{Answer::kTold, 1, what.bytes}, {what.kind, static_cast<std::uint8_t>(what.head_bytes), {}, {}}};
  static_assert(sizeof frame == sizeof(Response) + sizeof(AnswerHead));
  if (what.head_bytes > 0) {
    std::memcpy(frame.head.head, what.head, what.head_bytes);
  }
  // Another error is met again by who reads.
  if (connection.out.post(connection.fd, &frame, sizeof frame, what.data, what.bytes, Outbox::Keep::kCopy, nullptr) ==
      ENOMEM) {
    no_memory_for_answer(connection.pe);
  }
}

// Who has another connection by now did not ask on it.
void Tcp::send_late(int pe, std::uint64_t connection, const Message& what) noexcept {
  Connection* to = from(pe);
  if (to != nullptr && to->number == connection) {
    send_answer(*to, what);
    watch(*to);
  }
}

void Tcp::no_memory_for_answer(int pe) noexcept { setup_.failed("an answer", pe, std::strerror(ENOMEM)); }

// --- what this PE tells ----------------------------------------------------------------------------------------------

Told Tcp::tell(int pe, const Message& what, Pending& pending) noexcept {
  Connection* connection = connection_to(pe);
  if (connection == nullptr) {
    return Told::kAgain;
  }
  Request request{};
  request.ask = Ask::kTell;
  request.kind = what.kind;
  request.head_bytes = static_cast<std::uint8_t>(what.head_bytes);
  request.bytes = what.bytes;
  if (what.head_bytes > 0) {
    std::memcpy(head_of(request), what.head, std::min(what.head_bytes, kMostHead));
  }
  const bool copies = what.bytes <= kCopyBytes;
  const Lock lock(connection->mutex);
  if (connection->may_tell == 0 || connection->out.copied_bytes() >= kMostCopied) {
    return Told::kAgain;
  }
  --connection->may_tell;
  post(*connection, request,
       {what.data, what.bytes, copies ? Outbox::Keep::kCopy : Outbox::Keep::kWhereItLies, copies ? nullptr : &pending});
  return copies ? Told::kDone : Told::kPosted;
}

// --- what it is told -------------------------------------------------------------------------------------------------

bool Tcp::told(Connection& connection) noexcept {
  const Request& request = connection.request;
  if (++connection.taken > setup_.most_told) {
    return refuse(connection, "tells more than it may");
  }
  connection.arrival = {connection.pe, request.kind, false, request.head_bytes, request.bytes, {}, {}};
  std::memcpy(connection.arrival.head, head_of(request), kMostHead);
  return place(connection);
}

bool Tcp::begin_answer(Connection& connection, const Response& response) noexcept {
  connection.arrival = {connection.pe, 0, true, 0, response.value, {}, {}};
  connection.whole_head = sizeof(AnswerHead);
  return response.value <= kMostAnswer;
}

bool Tcp::told_answer(Connection& connection) noexcept {
  AnswerHead head;
  std::memcpy(&head, connection.head, sizeof head);
  connection.whole_head = sizeof(Response);
  connection.arrival.kind = head.kind;
  connection.arrival.head_bytes = head.head_bytes;
  std::memcpy(connection.arrival.head, head.head, sizeof head.head);
  return head.head_bytes <= kMostHead && place(connection);
}

bool Tcp::place(Connection& connection) noexcept {
  Arrival& arrival = connection.arrival;
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
  if (!connection.arrival.is_answer && connection.taken >= tell_of_taken(setup_)) {
    reply(connection, Answer::kRoom, std::exchange(connection.taken, 0));
  }
}

// Between two messages there is none.
void Tcp::forget_arrival(Connection& connection) noexcept {
  const Handler* handler = std::exchange(connection.handler, nullptr);
  if (handler != nullptr && handler->lost != nullptr) {
    handler->lost(handler->self, connection.arrival);
  }
}

}  // namespace weft::transport::tcp
