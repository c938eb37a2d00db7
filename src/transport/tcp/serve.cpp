// What comes over connections: requests of others, and their answers.
#include <sys/socket.h>
#include <sys/uio.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <utility>

#include "transport/tcp/allowance.hpp"
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
    const std::size_t direct = connection.left;
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
      std::memcpy(connection.into, data, part);
      connection.into += part;
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
    case Ask::kMessage:
    case Ask::kOffer: return begin_message(connection);
    case Ask::kBye: return true;
    default: {
      std::byte* at = regions_.place(request.key, request.offset, 0);
      return at != nullptr ? (serve(connection, at), true) : refuse(connection, kTakenBack);
    }
  }
}

void Tcp::serve(Connection& connection, std::byte* at) noexcept {
  const Request& request = connection.request;
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

bool Tcp::begin_message(Connection& connection) noexcept {
  const Request& request = connection.request;
  const bool is_offer = request.ask == Ask::kOffer;
  if (!is_offer && request.operand != 0) {
    connection.letter = mailbox_.begin_wanted(connection.pe, request.operand, request.bytes);
    if (connection.letter == nullptr) {
      return refuse(connection, "sends a message that it was not told is wanted");
    }
    connection.into = connection.letter->to;
    connection.left = request.bytes;
    return true;
  }
  if (is_offer ? request.operand == 0 : request.bytes > Allowance::largest(allowance_)) {
    return refuse(connection, "sends a message that it had to offer first");
  }
  return take_message(connection,
                      mailbox_.begin(connection.pe, request.offset, request.bytes, is_offer ? request.operand : 0));
}

bool Tcp::take_message(Connection& connection, const Mailbox::Meeting& meeting) noexcept {
  const Request& request = connection.request;
  const bool is_offer = request.ask == Ask::kOffer;
  const std::uint64_t cost = Allowance::cost(request.bytes);
  switch (meeting.met) {
    case Mailbox::Met::kOtherLength:
    case Mailbox::Met::kNoMemory:
      refuse_message(connection.pe, meeting.met, request.bytes, meeting.bytes);
      return false;
    case Mailbox::Met::kOffered: reply(connection, Answer::kWanted, request.operand); return true;
    case Mailbox::Met::kHere: give_back(connection, cost); break;
    case Mailbox::Met::kNotYet:
      if (is_offer ? ++connection.offers_here > Allowance::kOffers : (connection.unexpected += cost) > allowance_) {
        return refuse(connection, "sends more messages that nobody waits for than it may");
      }
  }
  if (!is_offer) {
    connection.letter = meeting.letter;
    connection.into = meeting.letter->to;
    connection.left = request.bytes;
  }
  return true;
}

void Tcp::refuse_message(int pe, Mailbox::Met why, std::uint64_t came, std::uint64_t wanted) noexcept {
  char text[96];
  (void)std::snprintf(text, sizeof text,
                      why == Mailbox::Met::kNoMemory ? "no memory" : "it has %llu bytes, expected are %llu",
                      static_cast<unsigned long long>(came), static_cast<unsigned long long>(wanted));
  setup_.failed("the receipt of a message", pe, text);
}

void Tcp::give_back(Connection& connection, std::uint64_t cost) noexcept {
  connection.taken += cost;
  if (connection.taken >= Allowance::largest(allowance_)) {
    reply(connection, Answer::kTaken, std::exchange(connection.taken, 0));
  }
}

bool Tcp::data_is_here(Connection& connection) noexcept {
  if (connection.side == Connection::Side::kAsks) {
    finish(connection);
    return true;
  }
  if (connection.request.ask == Ask::kMessage) {
    mailbox_.end(std::exchange(connection.letter, nullptr));
    return true;
  }
  return store(connection);
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
  Response response;
  std::memcpy(&response, connection.head, sizeof response);
  switch (response.answer) {
    case Answer::kTaken:
      connection.allowance += response.value;
      return response.value <= allowance_ && connection.allowance <= allowance_;
    case Answer::kWanted: return send_wanted(connection, response.value);
    default: return answered_a_question(connection, response);
  }
}

bool Tcp::answered_a_question(Connection& connection, const Response& response) noexcept {
  if (response.answer == Answer::kDone) {
    for (std::uint32_t k = 0; k < response.times; ++k) {
      if (connection.asked.first() == nullptr) {
        return false;
      }
      finish(connection);
    }
    return true;
  }
  const Operation* operation = connection.asked.first();
  if (operation == nullptr || operation->to == nullptr) {
    return false;
  }
  if (response.answer == Answer::kValue && operation->bytes <= kWord) {
    std::memcpy(operation->to, &response.value, operation->bytes);
    finish(connection);
    return true;
  }
  connection.into = static_cast<std::byte*>(operation->to);
  connection.left = operation->bytes;
  return response.answer == Answer::kData && response.value == operation->bytes;
}

bool Tcp::send_wanted(Connection& connection, std::uint64_t number) noexcept {
  Offer** at = &connection.offers;
  while (*at != nullptr && (*at)->number != number) {
    at = &(*at)->next;
  }
  Offer* offer = *at;
  if (offer == nullptr) {
    return false;
  }
  *at = offer->next;
  --connection.n_offers;
  Request request{};
  request.ask = Ask::kMessage;
  request.bytes = offer->bytes;
  request.operand = number;
  const int error = connection.out.post(connection.fd, &request, sizeof request, offer->from, offer->bytes,
                                        Outbox::Keep::kWhereItLies, offer->pending);
  offer->count->end();
  delete offer;
  return error == 0;
}

void Tcp::finish(Connection& connection) noexcept {
  Operation* operation = connection.asked.pop();
  Pending::Count* count = operation->count;
  pool_.give_back(operation);
  count->end();
}

}  // namespace weft::transport::tcp
