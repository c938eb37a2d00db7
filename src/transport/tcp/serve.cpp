// What comes over connections: requests of others, and their answers.
#include <sys/socket.h>
#include <sys/uio.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstring>
#include <utility>

#include "transport/tcp/apply.hpp"
#include "transport/tcp/check.hpp"
#include "transport/tcp/tcp.hpp"

namespace weft::transport::tcp {
namespace {

// Read from one connection in one call, at most, so that the others have their turn.
constexpr int kReads = 32;

constexpr const char* kTakenBack = "asks for memory of this PE that was taken back meanwhile";

}  // namespace

bool Tcp::receive_on(Connection& connection) noexcept {
  n_replies_ = 0;
  for (int reads = 0; reads < kReads && !is_behind(connection); ++reads) {
    const std::size_t direct = connection.into != nullptr ? connection.left : 0;
    if (direct > 0 && !may_go_on(connection)) {
      lost(connection, EPROTO);
      return false;
    }
    iovec parts[2] = {{connection.into, direct}, {scratch_.get(), kScratch}};
    const ssize_t came =
        direct > 0 ? ::readv(connection.fd, parts, 2) : ::recv(connection.fd, scratch_.get(), kScratch, 0);
    if (came <= 0) {
      if (came < 0 && (errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR)) {
        break;
      }
      lost(connection, came == 0 ? 0 : errno);
      return false;
    }
    if (reads == 0) {
      is_expected_ = connection.stage == Connection::Stage::kOpen && latest_ == &connection;
      latest_ = &connection;
    }
    const auto bytes = static_cast<std::size_t>(came);
    const std::size_t of_direct = std::min(bytes, direct);
    if (of_direct > 0) {
      connection.into += of_direct;
      connection.left -= of_direct;
      if (connection.left == 0 && !data_is_here(connection)) {
        lost(connection, EPROTO);
        return false;
      }
    }
    if (!take(connection, scratch_.get(), bytes - of_direct)) {
      return false;
    }
    if (bytes < direct + kScratch) {
      break;  // all there is
    }
  }
  if (n_replies_ > 0) {
    send_replies(connection, nullptr, 0);
  }
  return true;
}

bool Tcp::take(Connection& connection, const std::byte* data, std::size_t bytes) noexcept {
  while (bytes > 0) {
    if (connection.left > 0) {
      const std::size_t part = std::min(bytes, connection.left);
      if (connection.into != nullptr) {
        std::memcpy(connection.into, data, part);
        connection.into += part;
      }
      connection.left -= part;
      data += part;
      bytes -= part;
      if (connection.left == 0 && !data_is_here(connection)) {
        lost(connection, EPROTO);
        return false;
      }
      continue;
    }
    const std::size_t whole = connection.whole_head;
    const std::size_t part = std::min(bytes, whole - connection.head_bytes);
    std::memcpy(connection.head + connection.head_bytes, data, part);
    connection.head_bytes += part;
    data += part;
    bytes -= part;
    if (connection.head_bytes == whole) {
      connection.head_bytes = 0;
      if (!head_is_here(connection)) {
        lost(connection, EPROTO);
        return false;
      }
    }
  }
  return true;
}

// False: who says that is none of the job, or has lost its senses.
bool Tcp::head_is_here(Connection& connection) noexcept {
  switch (connection.stage) {
    case Connection::Stage::kOpen:
      return connection.side == Connection::Side::kAsks ? answered(connection) : asked(connection);
    case Connection::Stage::kAwaitsHello: return greeted(connection);
    case Connection::Stage::kAwaitsChallenge: return challenged(connection);
    case Connection::Stage::kAwaitsWelcome: return welcomed(connection);
    case Connection::Stage::kIdle:
    case Connection::Stage::kConnects: break;
  }
  return false;
}

// Nobody else can tell whose mistake it was.
bool Tcp::refuse(const Connection& connection, const char* why) const noexcept {
  if (setup_.refused != nullptr) {
    setup_.refused(connection.pe, why);
  }
  return false;
}

// --- requests --------------------------------------------------------------------------------------------------------

bool Tcp::asked(Connection& connection) noexcept {
  Request& request = connection.request;
  std::memcpy(&request, connection.head, sizeof request);
  connection.said_bye = request.ask == Ask::kBye;
  if (const char* const wrong = wrong_with(request, regions_); wrong != nullptr) {
    return refuse(connection, wrong);
  }
  switch (request.ask) {
    case Ask::kTell:
    case Ask::kToldBack: return told(connection);
    case Ask::kTaken: return take_room(connection, request.bytes);
    case Ask::kMove: reply(connection, Answer::kMoved, 0); return true;
    case Ask::kBye: return true;
    default: {
      std::byte* at = regions_.place(request.key, request.offset, 0);
      return at != nullptr ? (serve(connection, at), true) : refuse(connection, kTakenBack);
    }
  }
}

void Tcp::serve(Connection& connection, std::byte* at) noexcept {
  const Request& request = connection.request;
  // Release: who sees what this operation stores sees what those before it on this connection have stored.
  std::atomic_thread_fence(std::memory_order_release);
  switch (request.ask) {
    case Ask::kPut:
    case Ask::kPutThen:
      connection.into = request.bytes <= kWord ? connection.word : at;
      connection.left = request.bytes;
      return;
    case Ask::kGet:
      if (request.bytes <= kWord) {
        reply(connection, Answer::kValue, load_word(at, request.bytes));
      } else {
        reply(connection, Answer::kData, request.bytes);
        send_replies(connection, at, request.bytes);
      }
      return;
    default: {
      const std::uint64_t before = apply({request.op, request.type, request.operand, request.compare}, at);
      reply(connection, request.ask == Ask::kFetch ? Answer::kValue : Answer::kDone, before);
    }
  }
}

bool Tcp::data_is_here(Connection& connection) noexcept {
  if (connection.handler != nullptr) {
    arrived(connection);
    return true;
  }
  return connection.side == Connection::Side::kAsks ? finish(connection, 1) : store(connection);
}

// The data of a put goes on into memory that may have been taken back since its head came.
bool Tcp::may_go_on(const Connection& connection) const noexcept {
  const Request& request = connection.request;
  const bool is_put =
      connection.side == Connection::Side::kAnswers && (request.ask == Ask::kPut || request.ask == Ask::kPutThen);
  return !is_put || regions_.place(request.key, request.offset, request.bytes) != nullptr ||
         refuse(connection, kTakenBack);
}

bool Tcp::store(Connection& connection) noexcept {
  const Request& request = connection.request;
  if (request.bytes <= kWord) {
    std::byte* at = regions_.place(request.key, request.offset, request.bytes);
    if (at == nullptr) {
      return refuse(connection, kTakenBack);
    }
    store_word(at, connection.word, request.bytes);
  }
  if (request.ask == Ask::kPutThen) {
    std::byte* signal = regions_.place(request.signal_key, request.signal_offset, bytes_of(request.type));
    if (signal == nullptr) {
      return refuse(connection, kTakenBack);
    }
    (void)apply({request.op, request.type, request.operand, request.compare}, signal);
  }
  reply(connection, Answer::kDone, 0);
  return true;
}

void Tcp::reply(Connection& connection, Answer answer, std::uint64_t value) noexcept {
  if (answer == Answer::kDone && n_replies_ > 0 && replies_[n_replies_ - 1].answer == Answer::kDone) {
    ++replies_[n_replies_ - 1].times;
    return;
  }
  if (n_replies_ == kReplies) {
    send_replies(connection, nullptr, 0);
  }
  replies_[n_replies_++] = {answer, 1, value};
}

// Data of a get is read from its place when the socket takes it. An error will be met again by who reads.
void Tcp::send_replies(Connection& connection, const void* data, std::size_t bytes) noexcept {
  (void)connection.out.post(connection.fd, replies_, std::exchange(n_replies_, 0) * sizeof(Response), data, bytes,
                            Outbox::Keep::kWhereItLies, nullptr);
}

// --- answers ---------------------------------------------------------------------------------------------------------

bool Tcp::answered(Connection& connection) noexcept {
  if (connection.whole_head == sizeof(AnswerHead)) {
    return told_on_own(connection);
  }
  Response response;
  std::memcpy(&response, connection.head, sizeof response);
  switch (response.answer) {
    case Answer::kTold:
    case Answer::kTells: return begin_told(connection, response);
    case Answer::kRoom: {
      const Lock lock(connection.mutex);
      return take_room(connection, response.value);
    }
    case Answer::kMoved: return moved(connection.pe);
    default: return answered_a_question(connection, response);
  }
}

bool Tcp::answered_a_question(Connection& connection, const Response& response) noexcept {
  if (response.answer == Answer::kDone) {
    return finish(connection, response.times);
  }
  const Operation* operation = nullptr;
  {
    const Lock lock(connection.mutex);
    operation = connection.asked.first();  // nobody else takes it out
  }
  if (operation == nullptr || operation->to == nullptr) {
    return false;
  }
  if (response.answer == Answer::kValue && operation->bytes <= kWord) {
    std::memcpy(operation->to, &response.value, operation->bytes);
    return finish(connection, 1);
  }
  connection.into = static_cast<std::byte*>(operation->to);
  connection.left = operation->bytes;
  return response.answer == Answer::kData && response.value == operation->bytes;
}

// False: so many are not under way.
bool Tcp::finish(Connection& connection, std::uint32_t times) noexcept {
  const Lock lock(connection.mutex);
  for (; times > 0; --times) {
    if (connection.asked.first() == nullptr) {
      return false;
    }
    Operation* operation = connection.asked.pop();
    Pending::Count* count = operation->count;
    connection.pool.give_back(operation);
    count->end();
  }
  return true;
}

}  // namespace weft::transport::tcp
