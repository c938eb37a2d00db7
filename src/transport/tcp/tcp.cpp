#include "transport/tcp/tcp.hpp"

#include <fcntl.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <new>
#include <utility>

#include "transport/leaf.hpp"
#include "transport/offers.hpp"
#include "transport/tcp/socket.hpp"

namespace weft::transport::tcp {
namespace {

using base::Error;
using base::Result;

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
  for (std::size_t pe = 0; to_ != nullptr && pe < pes_; ++pe) {
    delete to_[pe].load(std::memory_order_relaxed);
  }
  answering_.clear();
  strangers_.clear();
  for (const int fd : {epoll_, wake_, listener_, spare_}) {
    if (fd >= 0) {
      (void)::close(fd);
    }
  }
}

Result<void> Tcp::prepare() noexcept {
  const std::size_t pes = pes_ = setup_.job->job_pes;
  to_.reset(new (std::nothrow) std::atomic<Connection*>[pes] {});
  tells_by_.reset(new (std::nothrow) std::atomic<TellsBy>[pes] {});
  from_.reset(new (std::nothrow) Connection* [pes] {});
  scratch_.reset(new (std::nothrow) std::byte[kScratch]);
  if (to_ == nullptr || tells_by_ == nullptr || from_ == nullptr || scratch_ == nullptr) {
    return Error::make("no memory for connections with %zu PEs", pes);
  }
  epoll_ = ::epoll_create1(EPOLL_CLOEXEC);
  wake_ = ::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
  spare_ = ::fcntl(epoll_, F_DUPFD_CLOEXEC, 0);
  const auto listening = listen_on(setup_.ports, setup_.interface);
  if (!listening) {
    return listening.error();
  }
  listener_ = *listening;
  epoll_event comes{EPOLLIN, {nullptr}};
  epoll_event wakes{EPOLLIN, {this}};
  if (epoll_ < 0 || ::epoll_ctl(epoll_, EPOLL_CTL_ADD, listener_, &comes) != 0 ||
      ::epoll_ctl(epoll_, EPOLL_CTL_ADD, wake_, &wakes) != 0) {
    return Error::make("cannot wait for other PEs: %s", std::strerror(errno));
  }
  return {};
}

Result<void> Tcp::copy_up_to(std::size_t bytes) noexcept {
  copy_bytes_ = bytes;
  return {};
}

Result<void> Tcp::open(boot::PeerCard* own) noexcept {
  const Turn turn(*this);
  open_ = true;
  return tell_addresses(listener_, setup_.interface, own);
}

void Tcp::close() noexcept {
  const Turn turn(*this);
  regions_.take_back_all();
  open_ = false;
  // All have met, but may not know it yet: a connection that ends without this is a PE that has died.
  Request bye{};
  bye.ask = Ask::kBye;
  for (Connection* connection = asking_.first(); connection != nullptr; connection = connection->next) {
    // Nothing is under way, so the socket has room; and who cannot say it has nobody to say it to.
    const std::scoped_lock asking(connection->mutex);
    (void)connection->out.post(connection->fd, &bye, sizeof bye, nullptr, 0, Outbox::Keep::kCopy, nullptr);
  }
}

Result<RegionKey> Tcp::lend(const Memory& memory) noexcept { return regions_.lend(memory); }

// With the lock nobody reads from a connection into that memory, and who goes on looks at its key again. What waits to
// be sent from there is copied: that memory may be used for something else in a moment.
void Tcp::take_back(const RegionKey& key) noexcept {
  const Turn turn(*this);
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

Connection* Tcp::connection_to(int pe) noexcept {
  std::atomic<Connection*>& known = to_[static_cast<std::size_t>(pe)];
  // Acquire: pairs with the exchange below, and what was made is whole.
  Connection* connection = known.load(std::memory_order_acquire);
  if (connection != nullptr) [[likely]] {
    return connection;
  }
  auto* made = new (std::nothrow) Connection(Connection::Side::kAsks, Connection::Stage::kIdle, -1);
  if (made == nullptr) {
    setup_.failed("connecting", pe, "no memory");
    return nullptr;
  }
  made->pe = pe;
  made->may_tell = setup_.most_told;
  made->out.hold();
  if (known.compare_exchange_strong(connection, made, std::memory_order_seq_cst, std::memory_order_acquire)) {
    return made;
  }
  delete made;  // another thread was faster
  return connection;
}

// Whoever lets the network go on makes it: it has the lock of all that is not settled yet. Somebody may sleep there.
void Tcp::call(Connection& connection) noexcept {
  connection.called = true;
  connection.next_called = called_.load(std::memory_order_relaxed);
  // Release: who takes it from the list finds what it is to take it for.
  while (!called_.compare_exchange_weak(connection.next_called, &connection, std::memory_order_release,
                                        std::memory_order_relaxed)) {
  }
  (void)::eventfd_write(wake_, 1);
}

// An error is met again by who reads the answers.
void Tcp::post(Connection& connection, const Request& request, const Data& data) noexcept {
  if (!connection.called) [[unlikely]] {
    call(connection);
  }
  connection.holds = false;
  const int fd = connection.open ? connection.fd : -1;
  sent(connection, connection.out.post(fd, &request, sizeof request, data.at, data.bytes, data.keep, data.sent));
}

void Tcp::sent(Connection& connection, int error) noexcept {
  if (error == ENOMEM) {
    setup_.failed("sending", connection.pe, std::strerror(error));
  } else if (error != 0) {
    connection.error = error;
  } else {
    watch(connection);
  }
}

// Only while an answer is to come: whoever takes that sends what was gathered meanwhile, whatever the program does. So
// an operation alone is never held back, and those that follow it no longer than a round trip, or until the thread that
// serves others looks at the network of a program that computes. That is too long for a flag behind data: an atomic
// operation that nobody waits for leaves at once unless it follows another one.
bool Tcp::gather(Connection& connection, const Request& request, const Data& data) noexcept {
  const bool may_be_flag = request.ask == Ask::kAtomic && connection.last_ask != Ask::kAtomic;
  return !may_be_flag && data.bytes <= kMostToGather && connection.asked.first() != nullptr &&
         append(connection, request, data);
}

// A put is not told to anybody else: the program's own next call of the network sends it, mostly the flag. Where that
// does not come, the thread that serves others does, which looks often enough, or sleeps here and wakes up in time.
bool Tcp::hold(Connection& connection, const Request& request, const Data& data, bool behind_fence) noexcept {
  if (behind_fence || request.ask != Ask::kPut || data.bytes > kMostToHold || !connection.flags.expected()) {
    return false;
  }
  holding_sleeps_.store(kHoldingSleeps, std::memory_order_relaxed);
  if (!append(connection, request, data)) {
    return false;
  }
  connection.holds = true;
  connection.holder = ::pthread_self();
  // seq_cst, with sleep(): either this sees who sleeps long, or that thread finds what was appended.
  std::atomic_thread_fence(std::memory_order_seq_cst);
  if (long_sleepers_.load(std::memory_order_relaxed) > 0) {
    connection.holds = false;
    sent(connection, connection.out.flush(connection.fd));
  }
  return true;
}

bool Tcp::append(Connection& connection, const Request& request, const Data& data) noexcept {
  if (!connection.out.gather(&request, sizeof request, data.at, data.bytes)) {
    return false;
  }
  if (!connection.gathers) {
    connection.gathers = true;
    connection.next_gathering = gathering_.load(std::memory_order_relaxed);
    // Release: who takes it from the list finds what comes behind it.
    while (!gathering_.compare_exchange_weak(connection.next_gathering, &connection, std::memory_order_release,
                                             std::memory_order_relaxed)) {
    }
  }
  return true;
}

void Tcp::send_gathered() noexcept {
  // Relaxed: mostly there is nothing. What was gathered before an answer was taken is seen, as both have the mutex.
  if (gathering_.load(std::memory_order_relaxed) == nullptr) [[likely]] {
    return;
  }
  // Acquire: pairs with gather().
  for (Connection* connection = gathering_.exchange(nullptr, std::memory_order_acquire); connection != nullptr;) {
    const Lock lock(connection->mutex);
    Connection* const next = connection->next_gathering;
    connection->gathers = false;
    if (connection->out.has_gathered()) {
      if (connection->holds && ::pthread_equal(connection->holder, ::pthread_self()) == 0) {
        connection->flags.were_wrong();
      }
      connection->holds = false;
      sent(*connection, connection->out.flush(connection->fd));
    }
    connection = next;
  }
}

void Tcp::ask(int pe, const Request& request, const Data& data, Leaves leaves, Pending& pending, void* to,
              std::size_t to_bytes) noexcept {
  Connection* connection = connection_to(pe);
  if (connection == nullptr) {
    return;
  }
  Lock lock(connection->mutex);
  Operation* operation = nullptr;
  while (connection->out.copied_bytes() >= kMostCopied || (operation = connection->pool.take()) == nullptr)
    [[unlikely]] {
      const bool lacks_memory = connection->out.copied_bytes() < kMostCopied && connection->pool.has_none();
      lock.unlock();
      if (lacks_memory) {
        setup_.failed("a request", pe, "no memory");
        return;
      }
      bool polled = false;
      poll_until(*this, setup_, [&] { return std::exchange(polled, true); });
      lock.lock();
    }
  *operation = {nullptr, pending.begin(), to, to_bytes, request.ask};
  const bool behind_fence = connection->flags.next(fences_.load(std::memory_order_relaxed),
                                                   request.ask == Ask::kPut && data.bytes <= kMostToHold);
  const bool is_gathered =
      (leaves == Leaves::kSoon && gather(*connection, request, data)) || hold(*connection, request, data, behind_fence);
  connection->last_ask = request.ask;
  connection->asked.push(operation);
  if (!is_gathered) {
    post(*connection, request, data);
  }
}

void Tcp::ask_to_put(int pe, const Request& request, const void* from, bool reusable, Leaves leaves,
                     Pending& pending) noexcept {
  Pending source;
  Data data{from, request.bytes};
  if (reusable && request.bytes <= copy_bytes_) {
    data.keep = Outbox::Keep::kCopy;
  } else if (reusable) {
    data.sent = &source;
  }
  ask(pe, request, data, leaves, pending);
  if (!source.done()) {
    poll_until(*this, setup_, [&] { return source.done(); });
  }
}

void Tcp::put(const Remote& to, const void* from, std::size_t bytes, Source source, Pending& pending) noexcept {
  ask_to_put(to.pe, request_for(Ask::kPut, to, bytes), from, source != Source::kStays,
             source == Source::kReusable ? Leaves::kNow : Leaves::kSoon, pending);
}

void Tcp::put_then(const Remote& to, const void* from, std::size_t bytes, bool reusable, const Remote& signal,
                   const Atomic& what, Pending& pending) noexcept {
  Request request = request_for(Ask::kPutThen, to, bytes);
  add_atomic(request, what);
  request.signal_key = signal.key.key;
  request.signal_offset = signal.offset;
  ask_to_put(to.pe, request, from, reusable, Leaves::kNow, pending);
}

void Tcp::get(void* to, const Remote& from, std::size_t bytes, Pending& pending) noexcept {
  ask(from.pe, request_for(Ask::kGet, from, bytes), {}, Leaves::kSoon, pending, to, bytes);
}

void Tcp::atomic(const Remote& at, const Atomic& what, void* fetched, Pending& pending) noexcept {
  Request request = request_for(fetched == nullptr ? Ask::kAtomic : Ask::kFetch, at, 0);
  add_atomic(request, what);
  ask(at.pe, request, {}, Leaves::kSoon, pending, fetched, bytes_of(what.type));
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
