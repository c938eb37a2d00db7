// Letting the network go on: which connections have something, which wait for room, and which are gone.
#include <sys/eventfd.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

#include "transport/tcp/tcp.hpp"

namespace weft::transport::tcp {
namespace {

constexpr const char* kAskNames[] = {"a put", "a put with a signal", "a get", "an atomic operation",
                                     "an atomic operation"};

constexpr int kEvents = 32;  // connections looked at in one call

}  // namespace

// Whoever finds that another thread is at it has nothing to add.
void Tcp::progress() noexcept {
  send_gathered();
  const Turn turn(*this, std::try_to_lock);
  if (!turn.is_mine()) {
    return;
  }
  if (called_.load(std::memory_order_relaxed) != nullptr) [[unlikely]] {
    take_calls();
  }
  if (look_at_expected()) {
    return;
  }
  epoll_event events[kEvents];
  const int n = ::epoll_wait(epoll_, events, kEvents, 0);
  // In this loop nothing may delete a connection but the one that is looked at: others are in `events` too.
  bool comes = false;
  for (int k = 0; k < n; ++k) {
    void* const of = events[k].data.ptr;
    if (of == nullptr) {
      comes = true;
    } else if (of == this) {
      eventfd_t times = 0;
      (void)::eventfd_read(wake_, &times);
    } else {
      look_at(*static_cast<Connection*>(of), events[k].events);
    }
  }
  if (comes) {
    accept_some();
  }
  if (strangers_.first() != nullptr || connecting_.first() != nullptr || deaf_until_ != 0) [[unlikely]] {
    look_at_time();
  }
  // What others have gathered beside answers that were taken just now.
  send_gathered();
}

// Who talks with one PE only reads what that one says, without asking first whether there is something: that is one
// call of two. With several, what one says may follow from what another one has said before, which is to be read before
// it: epoll tells of connections in the order in which something came. True: it is not yet the turn of newcomers.
bool Tcp::look_at_expected() noexcept {
  if (!is_expected_ || !has_one_partner() || ++looks_ % kLooksAtOne == 0) {
    return false;
  }
  look_at(*latest_, EPOLLIN);
  send_gathered();
  return true;
}

bool Tcp::has_one_partner() const noexcept {
  const bool both = asking_.size() == 1 && answering_.size() == 1;
  return both ? asking_.first()->pe == answering_.first()->pe : asking_.size() + answering_.size() == 1;
}

void Tcp::look_at(Connection& connection, std::uint32_t events) noexcept {
  if (connection.stage == Connection::Stage::kIdle) {
    return;  // it was lost a moment ago
  }
  if (connection.stage == Connection::Stage::kConnects) {
    connected(connection);
    return;
  }
  if ((events & ~static_cast<std::uint32_t>(EPOLLOUT)) != 0 && !receive_on(connection)) {
    return;
  }
  const bool has_room = (events & EPOLLOUT) != 0;
  if (has_room || connection.side == Connection::Side::kAnswers) {
    send_on(connection, has_room);
  }
}

void Tcp::send_on(Connection& connection, bool has_room) noexcept {
  Lock lock(connection.mutex, std::defer_lock);
  if (connection.side == Connection::Side::kAsks) {
    lock.lock();
  }
  const int error = has_room ? connection.out.flush(connection.fd) : 0;
  if (error == 0) {
    watch(connection);
    return;
  }
  if (lock.owns_lock()) {
    lock.unlock();
  }
  lost(connection, error);
}

bool Tcp::sleep(int timeout_ms) noexcept {
  const bool is_short = timeout_ms <= kHoldingMs;
  const int holding = holding_sleeps_.load(std::memory_order_relaxed);
  const bool is_long = !is_short && holding == 0;
  if (is_long) {
    // seq_cst, with hold().
    long_sleepers_.fetch_add(1, std::memory_order_seq_cst);
    send_gathered();
  } else if (!is_short) {
    holding_sleeps_.store(holding - 1, std::memory_order_relaxed);
    timeout_ms = kHoldingMs;
    send_gathered();
  }
  // What is found stays: the next progress() takes it.
  epoll_event event;
  const bool came = ::epoll_wait(epoll_, &event, 1, timeout_ms) != 0;
  if (is_long) {
    long_sleepers_.fetch_sub(1, std::memory_order_relaxed);
  }
  return came;
}

// --- connections -----------------------------------------------------------------------------------------------------

// Who asks and does not take the answers has to wait. What this PE asks itself may be as much, and the answers are what
// makes room: before it is welcome nothing of that is sent.
bool Tcp::is_behind(const Connection& connection) noexcept {
  return connection.side == Connection::Side::kAnswers && connection.out.copied_bytes() > kMostCopied;
}

// Wants to know when there is room again, only while something is kept; and not what is asked, by who is behind.
void Tcp::watch(Connection& connection) noexcept {
  if (!connection.open) {
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
  if (asks) {
    Lock lock(connection.mutex);
    const Operation* operation = connection.asked.first();
    error = error != 0 ? error : connection.error;
    const char* const doing = operation != nullptr      ? kAskNames[static_cast<int>(operation->ask)]
                              : !connection.out.empty() ? "a message"
                              : error != 0              ? "sending"
                                                        : nullptr;
    lock.unlock();
    if (doing != nullptr) {
      setup_.failed(doing, connection.pe, error == 0 ? "it has closed the connection" : std::strerror(error));
    }
  }
  const bool has_ended = !asks && connection.pe >= 0 && error != EPROTO;
  if (has_ended && !connection.said_bye && open_) {
    // Its host is silent, rather than that it has ended.
    if (error == ETIMEDOUT || error == EHOSTUNREACH || error == ENETUNREACH) {
      setup_.failed("serving", connection.pe, std::strerror(error));
    } else if (from(connection.pe) == &connection &&
               tells_by(connection.pe).load(std::memory_order_relaxed) == TellsBy::kTheirs &&
               (error != 0 || !connection.out.empty())) {
      // What this PE has told on it may not have come.
      setup_.failed("a message", connection.pe, error != 0 ? std::strerror(error) : "it has closed the connection");
    } else if (setup_.gone != nullptr) {
      setup_.gone(connection.pe);
    }
  }
  drop(connection);
}

void Tcp::drop(Connection& connection) noexcept {
  forget_arrival(connection);
  if (latest_ == &connection) {
    latest_ = nullptr;
    is_expected_ = false;
  }
  if (connection.side == Connection::Side::kAsks) {
    drop_asking(connection);
    return;
  }
  const bool is_open = connection.stage == Connection::Stage::kOpen;
  if (is_open && from(connection.pe) == &connection) {
    from(connection.pe) = nullptr;
    if (tells_by(connection.pe).load(std::memory_order_relaxed) != TellsBy::kMoves) {
      tells_by(connection.pe).store(TellsBy::kOwn, std::memory_order_relaxed);
    }
  }
  (is_open ? answering_ : strangers_).take_out(&connection);
  delete &connection;
}

// As it was before the first operation: the next one makes it anew. What was under way is lost.
void Tcp::drop_asking(Connection& connection) noexcept {
  (connection.stage == Connection::Stage::kOpen ? asking_ : connecting_).take_out(&connection);
  connection.enter(Connection::Stage::kIdle);
  connection.left = 0;
  connection.unsettled.reset();
  connection.number = 0;
  connection.is_told_on = false;
  const std::scoped_lock lock(connection.mutex);
  if (tells_by(connection.pe).load(std::memory_order_relaxed) == TellsBy::kMoves) {
    tells_by(connection.pe).store(TellsBy::kOwn, std::memory_order_relaxed);
  }
  connection.open = connection.called = false;
  connection.error = 0;
  if (connection.fd >= 0) {
    (void)::close(std::exchange(connection.fd, -1));
  }
  connection.out.clear();
  connection.out.hold();
  while (connection.asked.first() != nullptr) {
    connection.pool.give_back(connection.asked.pop());
  }
  connection.may_tell = setup_.most_told;
  connection.taken = 0;
  connection.has_told = false;
}

}  // namespace weft::transport::tcp
