#include "transport/tcp/tcp.hpp"

#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <new>
#include <utility>

#include "transport/leaf.hpp"
#include "transport/offers.hpp"
#include "transport/tcp/address.hpp"
#include "transport/tcp/apply.hpp"

namespace weft::transport::tcp {
namespace {

using base::Error;
using base::Result;

constexpr const char* kAskNames[] = {
    "a put", "a put with a signal", "a get", "an atomic operation", "an atomic operation", "a message"};

constexpr int kEvents = 32;  // connections looked at in one call
// Read from one connection in one call, at most, so that the others have their turn.
constexpr int kReads = 32;
// Copies of data that sockets do not take, for each connection, before who wants to send more waits.
constexpr std::size_t kMostCopied = std::size_t{1} << 20;

Request request_for(Ask ask, const Remote& place, std::size_t bytes) noexcept {
  Request request{};
  request.ask = ask;
  request.region = place.region;
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

// Takes as long whatever differs: who guesses learns nothing.
bool same_key(const std::uint64_t (&a)[2], const std::uint64_t (&b)[2]) noexcept {
  return ((a[0] ^ b[0]) | (a[1] ^ b[1])) == 0;
}

}  // namespace

Result<void> Tcp::prepare() noexcept {
  const std::size_t pes = setup_.job->job_pes;
  to_.reset(new (std::nothrow) Connection* [pes] {});
  scratch_.reset(new (std::nothrow) std::byte[kScratch]);
  if (to_ == nullptr || scratch_ == nullptr || !pool_.make()) {
    return Error::make("no memory for connections with %zu PEs", pes);
  }
  epoll_ = ::epoll_create1(EPOLL_CLOEXEC);
  const auto listening = listen_on(setup_.ports);
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

Result<void> Tcp::open(const Memory (&regions)[kRegions], boot::PeerCard* own) noexcept {
  const std::scoped_lock lock(mutex_);
  std::copy(std::begin(regions), std::end(regions), std::begin(regions_));
  open_ = true;
  return tell_addresses(listener_, setup_.interface, own);
}

void Tcp::close() noexcept {
  const std::scoped_lock lock(mutex_);
  std::fill(std::begin(regions_), std::end(regions_), Memory{});
  open_ = false;
  // All have met, but may not know it yet: a connection that ends without this is a PE that has died.
  Request bye{};
  bye.ask = Ask::kBye;
  for (std::size_t pe = 0; pe < setup_.job->job_pes; ++pe) {
    if (to_[pe] != nullptr) {
      // Nothing is under way, so the socket has room; and who cannot say it has nobody to say it to.
      (void)to_[pe]->out.post(to_[pe]->fd, &bye, sizeof bye, nullptr, 0, Outbox::Keep::kCopy, nullptr);
    }
  }
}

// --- what this PE asks -----------------------------------------------------------------------------------------------

Connection* Tcp::connection_to(int pe) noexcept {
  if (to_[pe] != nullptr) [[likely]] {
    return to_[pe];
  }
  const auto made = connect_to(*boot::peer_card(setup_.job, pe));
  if (!made) {
    setup_.failed("connecting", pe, made.error().text());
    return nullptr;
  }
  auto* connection = new (std::nothrow) Connection(Connection::Side::kAsks, *made);
  epoll_event wanted{EPOLLIN, {connection}};
  if (connection == nullptr || ::epoll_ctl(epoll_, EPOLL_CTL_ADD, *made, &wanted) != 0) {
    setup_.failed("connecting", pe, connection == nullptr ? "no memory" : std::strerror(errno));
    return nullptr;
  }
  connection->pe = pe;
  to_[pe] = connection;
  const Hello hello{Hello::kMagic, {setup_.job->key[0], setup_.job->key[1]}, setup_.me, pe};
  if (const int error =
          connection->out.post(connection->fd, &hello, sizeof hello, nullptr, 0, Outbox::Keep::kCopy, nullptr);
      error != 0) {
    lost(*connection, error);
  }
  return to_[pe];
}

void Tcp::ask(int pe, const Request& request, const Data& data, Pending* pending, void* to,
              std::size_t to_bytes) noexcept {
  std::unique_lock lock(mutex_);
  Connection* connection = nullptr;
  Operation* operation = nullptr;
  const auto may_begin = [&] {
    connection = connection_to(pe);
    if (connection == nullptr) {
      return true;
    }
    if (connection->out.copied_bytes() >= kMostCopied) {
      return false;
    }
    return pending == nullptr || (operation = pool_.take()) != nullptr;
  };
  while (!may_begin()) {
    lock.unlock();
    bool polled = false;
    poll_until(*this, setup_, [&] { return std::exchange(polled, true); });
    lock.lock();
  }
  if (connection == nullptr) {
    return;
  }
  if (operation != nullptr) {
    *operation = {nullptr, pending->begin(), to, to_bytes, request.ask};
    connection->asked.push(operation);
  }
  if (const int error =
          connection->out.post(connection->fd, &request, sizeof request, data.at, data.bytes, data.keep, data.sent);
      error != 0) {
    lost(*connection, error);
    return;
  }
  watch(*connection);
}

void Tcp::ask_to_put(int pe, const Request& request, const void* from, bool reusable, Pending& pending) noexcept {
  Pending source;
  Data data{from, request.bytes};
  if (reusable && request.bytes <= copy_bytes_) {
    data.keep = Outbox::Keep::kCopy;
  } else if (reusable) {
    data.sent = &source;
  }
  ask(pe, request, data, &pending);
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
  request.signal_region = signal.region;
  request.signal_offset = signal.offset;
  ask_to_put(to.pe, request, from, reusable, pending);
}

void Tcp::get(void* to, const Remote& from, std::size_t bytes, Pending& pending) noexcept {
  ask(from.pe, request_for(Ask::kGet, from, bytes), {}, &pending, to, bytes);
}

void Tcp::atomic(const Remote& at, const Atomic& what, void* fetched, Pending& pending) noexcept {
  Request request = request_for(fetched == nullptr ? Ask::kAtomic : Ask::kFetch, at, 0);
  add_atomic(request, what);
  ask(at.pe, request, {}, &pending, fetched, bytes_of(what.type));
}

// Complete when the socket has the data: the connection delivers it.
void Tcp::send(int pe, Tag tag, const void* from, std::size_t bytes, Pending& pending) noexcept {
  Request request{};
  request.ask = Ask::kMessage;
  request.bytes = bytes;
  request.offset = tag;
  ask(pe, request, {from, bytes, Outbox::Keep::kWhereItLies, &pending}, nullptr);
}

void Tcp::receive(int pe, Tag tag, void* to, std::size_t bytes, Pending& pending) noexcept {
  std::size_t came = 0;
  const std::scoped_lock lock(mutex_);
  if (!mailbox_.receive(pe, tag, to, bytes, pending, &came)) {
    refuse_message(pe, came, bytes);
  }
}

void Tcp::refuse_message(int pe, std::size_t came, std::size_t wanted) noexcept {
  char why[96];
  (void)std::snprintf(why, sizeof why, came == 0 ? "no memory" : "it has %zu bytes, expected are %zu", came, wanted);
  setup_.failed("the receipt of a message", pe, why);
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
  for (int k = 0; k < n; ++k) {
    auto* connection = static_cast<Connection*>(events[k].data.ptr);
    if (connection == nullptr) {
      accept_all();
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
}

bool Tcp::sleep(int timeout_ms) noexcept {
  // What is found stays: the next progress() takes it.
  epoll_event event;
  return ::epoll_wait(epoll_, &event, 1, timeout_ms) != 0;
}

void Tcp::accept_all() noexcept {
  for (;;) {
    const int fd = ::accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK);
    if (fd < 0) {
      if (errno != EMFILE) {
        return;
      }
      if (!raise_limit_of_files()) {
        setup_.failed("accepting a connection", -1, "too many open files (ulimit -n)");
        return;
      }
      continue;
    }
    set_up(fd);
    auto* connection = new (std::nothrow) Connection(Connection::Side::kAnswers, fd);
    epoll_event wanted{EPOLLIN, {connection}};
    if (connection == nullptr || ::epoll_ctl(epoll_, EPOLL_CTL_ADD, fd, &wanted) != 0) {
      delete connection;
      (void)::close(fd);
      return;
    }
    connection->next = std::exchange(from_, connection);
  }
}

bool Tcp::receive_on(Connection& connection) noexcept {
  n_replies_ = 0;
  for (int reads = 0; reads < kReads; ++reads) {
    const std::size_t direct = connection.left;
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
      if (connection.left == 0) {
        data_is_here(connection);
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
      if (connection.left == 0) {
        data_is_here(connection);
      }
      continue;
    }
    const std::size_t whole = connection.next_head_bytes();
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
  if (connection.side == Connection::Side::kAsks) {
    return answered(connection);
  }
  return connection.pe < 0 ? greeted(connection) : asked(connection);
}

bool Tcp::greeted(Connection& connection) noexcept {
  Hello hello;
  std::memcpy(&hello, connection.head, sizeof hello);
  if (hello.magic != Hello::kMagic || !same_key(hello.key, setup_.job->key) || hello.to != setup_.me ||
      hello.from < 0 || hello.from >= static_cast<std::int32_t>(setup_.job->job_pes)) {
    return false;
  }
  connection.pe = hello.from;
  return true;
}

std::byte* Tcp::place(Region region, std::uint64_t offset, std::uint64_t bytes) const noexcept {
  const auto number = static_cast<std::size_t>(region);
  if (number >= kRegions || offset > regions_[number].bytes || bytes > regions_[number].bytes - offset) {
    return nullptr;
  }
  return static_cast<std::byte*>(regions_[number].at) + offset;
}

bool Tcp::asked(Connection& connection) noexcept {
  Request& request = connection.request;
  std::memcpy(&request, connection.head, sizeof request);
  connection.said_bye = request.ask == Ask::kBye;
  if (connection.said_bye) {
    return true;
  }
  if (request.ask == Ask::kMessage) {
    return begin_letter(connection);
  }
  const bool is_atomic = request.ask == Ask::kAtomic || request.ask == Ask::kFetch;
  if (static_cast<int>(request.type) >= kTypes || static_cast<int>(request.op) >= kOps) {
    return false;
  }
  const std::uint64_t bytes = is_atomic ? bytes_of(request.type) : request.bytes;
  std::byte* at = place(request.region, request.offset, bytes);
  const bool has_signal = request.ask == Ask::kPutThen;
  if (at == nullptr || bytes == 0 ||
      (has_signal && place(request.signal_region, request.signal_offset, bytes_of(request.type)) == nullptr)) {
    return false;
  }
  switch (request.ask) {
    case Ask::kPut:
    case Ask::kPutThen:
      connection.into = bytes <= kWord ? connection.word : at;
      connection.left = bytes;
      return true;
    case Ask::kGet:
      if (bytes <= kWord) {
        reply(connection, Answer::kValue, load_word(at, bytes));
      } else {
        reply(connection, Answer::kData, bytes);
        send_replies(connection, at, bytes);
      }
      return true;
    case Ask::kAtomic:
    case Ask::kFetch: {
      const std::uint64_t before = apply({request.op, request.type, request.operand, request.compare}, at);
      reply(connection, request.ask == Ask::kFetch ? Answer::kValue : Answer::kDone, before);
      return true;
    }
    case Ask::kMessage:
    case Ask::kBye: break;
  }
  return false;
}

bool Tcp::begin_letter(Connection& connection) noexcept {
  const Request& request = connection.request;
  std::size_t wanted = 0;
  connection.letter = mailbox_.begin(connection.pe, request.offset, request.bytes, &wanted);
  if (connection.letter == nullptr) {
    refuse_message(connection.pe, wanted == 0 ? 0 : request.bytes, wanted);
    return false;
  }
  connection.into = connection.letter->to;
  connection.left = request.bytes;
  return true;
}

bool Tcp::answered(Connection& connection) noexcept {
  Response response;
  std::memcpy(&response, connection.head, sizeof response);
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

void Tcp::data_is_here(Connection& connection) noexcept {
  if (connection.side == Connection::Side::kAsks) {
    finish(connection);
    return;
  }
  const Request& request = connection.request;
  if (request.ask == Ask::kMessage) {
    mailbox_.end(std::exchange(connection.letter, nullptr));
    return;
  }
  if (request.bytes <= kWord) {
    if (std::byte* at = place(request.region, request.offset, request.bytes); at != nullptr) {
      store_word(at, connection.word, request.bytes);
    }
  }
  if (request.ask == Ask::kPutThen) {
    if (std::byte* signal = place(request.signal_region, request.signal_offset, bytes_of(request.type));
        signal != nullptr) {
      (void)apply({request.op, request.type, request.operand, request.compare}, signal);
    }
  }
  reply(connection, Answer::kDone, 0);
}

void Tcp::finish(Connection& connection) noexcept {
  Operation* operation = connection.asked.pop();
  Pending::Count* count = operation->count;
  pool_.give_back(operation);
  count->end();
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

// --- connections -----------------------------------------------------------------------------------------------------

// Wants to know when there is room again, only while something is kept.
void Tcp::watch(Connection& connection) noexcept {
  if (connection.watched_for_room == connection.out.empty()) {
    connection.watched_for_room = !connection.watched_for_room;
    epoll_event wanted{connection.watched_for_room ? EPOLLIN | EPOLLOUT : EPOLLIN, {&connection}};
    (void)::epoll_ctl(epoll_, EPOLL_CTL_MOD, connection.fd, &wanted);
  }
}

// A PE that leaves closes its connections; only who still waits for an answer cannot go on.
void Tcp::lost(Connection& connection, int error) noexcept {
  const Operation* operation = connection.asked.first();
  if (connection.side == Connection::Side::kAsks && (operation != nullptr || error != 0)) {
    setup_.failed(operation == nullptr ? "sending" : kAskNames[static_cast<int>(operation->ask)], connection.pe,
                  error == 0 ? "it has closed the connection" : std::strerror(error));
  }
  const bool has_ended = connection.side == Connection::Side::kAnswers && connection.pe >= 0 && error != EPROTO;
  if (has_ended && !connection.said_bye && open_ && setup_.gone != nullptr) {
    setup_.gone(connection.pe);
  }
  drop(connection);
}

void Tcp::drop(Connection& connection) noexcept {
  (void)::close(connection.fd);  // which takes it out of the epoll instance
  Connection** at = &from_;
  if (connection.side == Connection::Side::kAsks) {
    to_[connection.pe] = nullptr;
  } else {
    while (*at != &connection) {
      at = &(*at)->next;
    }
    *at = connection.next;
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
