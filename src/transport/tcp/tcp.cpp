#include "transport/tcp/tcp.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <new>
#include <utility>

#include "transport/leaf.hpp"
#include "transport/offers.hpp"
#include "transport/tcp/allowance.hpp"
#include "transport/tcp/socket.hpp"

namespace weft::transport::tcp {
namespace {

using base::Error;
using base::Result;

constexpr const char* kAskNames[] = {
    "a put", "a put with a signal", "a get", "an atomic operation", "an atomic operation", "a message"};

constexpr int kEvents = 32;  // connections looked at in one call

Request request_for(Ask ask, const Remote& place, std::size_t bytes) noexcept {
  Request request{};
  request.ask = ask;
  request.key = place.key.key;
  request.offset = place.offset;
  request.bytes = bytes;
  return request;
}

void add_atomic(Request& request, const Atomic& what) noexcept {
  request.op = what.op;
  request.type = what.type;
  request.operand = what.operand;
  request.compare = what.compare;
}

}  // namespace

Tcp::~Tcp() {
  for (const int fd : {epoll_, listener_, spare_}) {
    if (fd >= 0) {
      (void)::close(fd);
    }
  }
}

Result<void> Tcp::prepare() noexcept {
  const std::size_t pes = setup_.job->job_pes;
  to_.reset(new (std::nothrow) Connection* [pes] {});
  from_.reset(new (std::nothrow) Connection* [pes] {});
  scratch_.reset(new (std::nothrow) std::byte[kScratch]);
  if (to_ == nullptr || from_ == nullptr || scratch_ == nullptr || !pool_.make()) {
    return Error::make("no memory for connections with %zu PEs", pes);
  }
  allowance_ = Allowance::of_each(pes);
  epoll_ = ::epoll_create1(EPOLL_CLOEXEC);
  spare_ = ::fcntl(epoll_, F_DUPFD_CLOEXEC, 0);
  const auto listening = listen_on(setup_.ports, setup_.interface);
  if (!listening) {
    return listening.error();
  }
  listener_ = *listening;
  epoll_event wanted{EPOLLIN, {nullptr}};
  if (epoll_ < 0 || ::epoll_ctl(epoll_, EPOLL_CTL_ADD, listener_, &wanted) != 0) {
    return Error::make("cannot wait for other PEs: %s", std::strerror(errno));
  }
  return {};
}

Result<void> Tcp::copy_up_to(std::size_t bytes) noexcept {
  const std::scoped_lock lock(mutex_);
  copy_bytes_ = bytes;
  return {};
}

Result<void> Tcp::open(boot::PeerCard* own) noexcept {
  const std::scoped_lock lock(mutex_);
  open_ = true;
  return tell_addresses(listener_, setup_.interface, own);
}

void Tcp::close() noexcept {
  const std::scoped_lock lock(mutex_);
  regions_.take_back_all();
  open_ = false;
  // All have met, but may not know it yet: a connection that ends without this is a PE that has died.
  Request bye{};
  bye.ask = Ask::kBye;
  for (Connection* connection = asking_.first(); connection != nullptr; connection = connection->next) {
    // Nothing is under way, so the socket has room; and who cannot say it has nobody to say it to.
    (void)connection->out.post(connection->fd, &bye, sizeof bye, nullptr, 0, Outbox::Keep::kCopy, nullptr);
  }
}

Result<RegionKey> Tcp::lend(const Memory& memory) noexcept { return regions_.lend(memory); }

// With the lock nobody reads from a connection into that memory, and who goes on looks at its key again. What waits to
// be sent from there is copied: that memory may be used for something else in a moment.
void Tcp::take_back(const RegionKey& key) noexcept {
  const std::scoped_lock lock(mutex_);
  Memory was;
  if (!regions_.take_back(key.key, &was)) {
    return;
  }
  for (Connection* connection = answering_.first(); connection != nullptr; connection = connection->next) {
    if (!connection->out.copy_from(was)) {
      setup_.failed("an answer", connection->pe, "no memory");
    }
  }
}

// --- what this PE asks -----------------------------------------------------------------------------------------------

Connection* Tcp::connection_with_room(Lock& lock, int pe, Operation** operation) noexcept {
  for (;;) {
    Connection* connection = connection_to(pe);
    if (connection == nullptr) {
      return nullptr;
    }
    const bool room = connection->out.copied_bytes() < kMostCopied && connection->n_offers < Allowance::kOffers;
    if (room && (operation == nullptr || (*operation = pool_.take()) != nullptr)) [[likely]] {
      return connection;
    }
    lock.unlock();
    bool polled = false;
    poll_until(*this, setup_, [&] { return std::exchange(polled, true); });
    lock.lock();
  }
}

void Tcp::post(Connection& connection, const Request& request, const Data& data) noexcept {
  if (const int error =
          connection.out.post(connection.fd, &request, sizeof request, data.at, data.bytes, data.keep, data.sent);
      error != 0) {
    lost(connection, error);
    return;
  }
  watch(connection);
}

void Tcp::ask(int pe, const Request& request, const Data& data, Pending& pending, void* to,
              std::size_t to_bytes) noexcept {
  Lock lock(mutex_);
  Operation* operation = nullptr;
  Connection* connection = connection_with_room(lock, pe, &operation);
  if (connection == nullptr) {
    return;
  }
  *operation = {nullptr, pending.begin(), to, to_bytes, request.ask};
  connection->asked.push(operation);
  post(*connection, request, data);
}

void Tcp::ask_to_put(int pe, const Request& request, const void* from, bool reusable, Pending& pending) noexcept {
  Pending source;
  Data data{from, request.bytes};
  if (reusable && request.bytes <= copy_bytes_) {
    data.keep = Outbox::Keep::kCopy;
  } else if (reusable) {
    data.sent = &source;
  }
  ask(pe, request, data, pending);
  if (!source.done()) {
    poll_until(*this, setup_, [&] { return source.done(); });
  }
}

void Tcp::put(const Remote& to, const void* from, std::size_t bytes, bool reusable, Pending& pending) noexcept {
  ask_to_put(to.pe, request_for(Ask::kPut, to, bytes), from, reusable, pending);
}

void Tcp::put_then(const Remote& to, const void* from, std::size_t bytes, bool reusable, const Remote& signal,
                   const Atomic& what, Pending& pending) noexcept {
  Request request = request_for(Ask::kPutThen, to, bytes);
  add_atomic(request, what);
  request.signal_key = signal.key.key;
  request.signal_offset = signal.offset;
  ask_to_put(to.pe, request, from, reusable, pending);
}

void Tcp::get(void* to, const Remote& from, std::size_t bytes, Pending& pending) noexcept {
  ask(from.pe, request_for(Ask::kGet, from, bytes), {}, pending, to, bytes);
}

void Tcp::atomic(const Remote& at, const Atomic& what, void* fetched, Pending& pending) noexcept {
  Request request = request_for(fetched == nullptr ? Ask::kAtomic : Ask::kFetch, at, 0);
  add_atomic(request, what);
  ask(at.pe, request, {}, pending, fetched, bytes_of(what.type));
}

// Complete when the socket has the data: the connection delivers it.
void Tcp::send(int pe, Tag tag, const void* from, std::size_t bytes, Pending& pending) noexcept {
  Lock lock(mutex_);
  Connection* connection = connection_with_room(lock, pe, nullptr);
  if (connection == nullptr) {
    return;
  }
  Request request{};
  request.ask = Ask::kMessage;
  request.bytes = bytes;
  request.offset = tag;
  const std::uint64_t cost = Allowance::cost(bytes);
  if (bytes <= Allowance::largest(allowance_) && cost <= connection->allowance) {
    connection->allowance -= cost;
    post(*connection, request, {from, bytes, Outbox::Keep::kWhereItLies, &pending});
    return;
  }
  auto* offer = new (std::nothrow) Offer{connection->offers, ++connection->last_offer, from, bytes, &pending, nullptr};
  if (offer == nullptr) {
    setup_.failed("a message", pe, "no memory");
    return;
  }
  offer->count = pending.begin();
  connection->offers = offer;
  ++connection->n_offers;
  request.ask = Ask::kOffer;
  request.operand = offer->number;
  post(*connection, request, {});
}

void Tcp::receive(int pe, Tag tag, void* to, std::size_t bytes, Pending& pending) noexcept {
  const std::scoped_lock lock(mutex_);
  n_replies_ = 0;
  const Mailbox::Meeting meeting = mailbox_.receive(pe, tag, to, bytes, pending);
  Connection* connection = from(pe);
  switch (meeting.met) {
    case Mailbox::Met::kNotYet: return;
    case Mailbox::Met::kOtherLength:
    case Mailbox::Met::kNoMemory: refuse_message(pe, meeting.met, meeting.bytes, bytes); return;
    case Mailbox::Met::kHere:
    case Mailbox::Met::kOffered: break;
  }
  if (connection == nullptr) {
    return;  // it has gone
  }
  if (meeting.met == Mailbox::Met::kOffered) {
    --connection->offers_here;
    reply(*connection, Answer::kWanted, meeting.offer);
  } else {
    connection->unexpected -= Allowance::cost(bytes);
    give_back(*connection, Allowance::cost(bytes));
  }
  if (n_replies_ > 0) {
    send_replies(*connection, nullptr, 0);
    watch(*connection);
  }
}

// --- what comes ------------------------------------------------------------------------------------------------------

// Whoever finds that another thread is at it has nothing to add.
void Tcp::progress() noexcept {
  const std::unique_lock lock(mutex_, std::try_to_lock);
  if (!lock.owns_lock()) {
    return;
  }
  epoll_event events[kEvents];
  const int n = ::epoll_wait(epoll_, events, kEvents, 0);
  // In this loop nothing may close a connection but the one that is looked at: others are in `events` too.
  bool comes = false;
  for (int k = 0; k < n; ++k) {
    auto* connection = static_cast<Connection*>(events[k].data.ptr);
    if (connection == nullptr) {
      comes = true;
      continue;
    }
    if (connection->stage == Connection::Stage::kConnects) {
      connected(*connection);
      continue;
    }
    if ((events[k].events & ~static_cast<std::uint32_t>(EPOLLOUT)) != 0 && !receive_on(*connection)) {
      continue;
    }
    if ((events[k].events & EPOLLOUT) != 0) {
      if (const int error = connection->out.flush(connection->fd); error != 0) {
        lost(*connection, error);
        continue;
      }
    }
    watch(*connection);
  }
  if (comes) {
    accept_some();
  }
  if (strangers_.first() != nullptr || connecting_.first() != nullptr || deaf_until_ != 0) [[unlikely]] {
    look_at_time();
  }
}

bool Tcp::sleep(int timeout_ms) noexcept {
  // What is found stays: the next progress() takes it.
  epoll_event event;
  return ::epoll_wait(epoll_, &event, 1, timeout_ms) != 0;
}

// --- connections -----------------------------------------------------------------------------------------------------

// Who asks and does not take the answers has to wait. What this PE asks itself may be as much, and the answers are what
// makes room: before it is welcome nothing of that is sent.
bool Tcp::is_behind(const Connection& connection) noexcept {
  return connection.side == Connection::Side::kAnswers && connection.out.copied_bytes() > kMostCopied;
}

// Wants to know when there is room again, only while something is kept; and not what is asked, by who is behind.
void Tcp::watch(Connection& connection) noexcept {
  if (connection.stage != Connection::Stage::kOpen) {
    return;
  }
  watch_for(connection, (is_behind(connection) ? 0U : EPOLLIN) | (connection.out.empty() ? 0U : EPOLLOUT));
}

void Tcp::watch_for(Connection& connection, std::uint32_t events) noexcept {
  if (connection.watched != events) {
    epoll_event wanted{events, {&connection}};
    (void)::epoll_ctl(epoll_, EPOLL_CTL_MOD, connection.fd, &wanted);
    connection.watched = events;
  }
}

// A PE that leaves closes its connections; only who still waits for an answer cannot go on.
void Tcp::lost(Connection& connection, int error) noexcept {
  const bool asks = connection.side == Connection::Side::kAsks;
  if (asks && connection.stage != Connection::Stage::kOpen && error != ENOMEM) {
    come_again(connection, error);
    return;
  }
  const Operation* operation = connection.asked.first();
  if (asks && (operation != nullptr || connection.offers != nullptr || error != 0)) {
    const char* const doing = operation != nullptr           ? kAskNames[static_cast<int>(operation->ask)]
                              : connection.offers != nullptr ? "a message"
                                                             : "sending";
    setup_.failed(doing, connection.pe, error == 0 ? "it has closed the connection" : std::strerror(error));
  }
  const bool has_ended = !asks && connection.pe >= 0 && error != EPROTO;
  if (has_ended && !connection.said_bye && open_) {
    // Its host is silent, rather than that it has ended.
    if (error == ETIMEDOUT || error == EHOSTUNREACH || error == ENETUNREACH) {
      setup_.failed("serving", connection.pe, std::strerror(error));
    } else if (setup_.gone != nullptr) {
      setup_.gone(connection.pe);
    }
  }
  drop(connection);
}

void Tcp::drop(Connection& connection) noexcept {
  const bool is_open = connection.stage == Connection::Stage::kOpen;
  if (connection.side == Connection::Side::kAsks) {
    to(connection.pe) = nullptr;
    (is_open ? asking_ : connecting_).take_out(&connection);
  } else {
    if (is_open && from(connection.pe) == &connection) {
      from(connection.pe) = nullptr;
    }
    if (connection.letter != nullptr) {
      mailbox_.abandon(connection.letter);
    }
    (is_open ? answering_ : strangers_).take_out(&connection);
  }
  delete &connection;
}

}  // namespace weft::transport::tcp

namespace {
constinit weft::transport::Transport* g_in_use = nullptr;
}  // namespace

extern "C" [[gnu::visibility("default")]] weft::transport::Transport* weft_transport(
    const weft::transport::Setup& setup, char* why, std::size_t room) {
  using weft::transport::tcp::Tcp;
  return g_in_use = weft::transport::ready(new (std::nothrow) Tcp(setup), why, room);
}
static_assert(std::is_same_v<decltype(&weft_transport), weft::transport::OpenFunction>);

extern "C" [[gnu::visibility("default")]] weft::transport::Transport* weft_transport_in_use() { return g_in_use; }
static_assert(std::is_same_v<decltype(&weft_transport_in_use), weft::transport::InUseFunction>);
