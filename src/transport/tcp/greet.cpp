// Who comes and has to prove that it is of the job, and how this PE comes to others. Nothing here waits: a machine that
// does not answer keeps nobody from being served.
#include <fcntl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <new>
#include <utility>

#include "transport/tcp/socket.hpp"
#include "transport/tcp/tcp.hpp"

namespace weft::transport::tcp {
namespace {

constexpr std::uint64_t kMs = 1'000'000;  // ns
// How long a stranger may stay one.
constexpr std::uint64_t kStranger = 2000 * kMs;
// Strangers beside as many as the job has PEs, which may all come at a time.
constexpr std::size_t kStrangers = 64;
// Accepted in one call, so that who is known has its turn.
constexpr int kAccepted = 64;
// How long nobody is accepted when that has failed in spite of all.
constexpr std::uint64_t kDeaf = 100 * kMs;
// An address that does not answer, as of a network that only its own machine has, is not tried for longer.
constexpr std::uint64_t kConnect = 4000 * kMs;
// Who was sent away comes again after a pause that grows; so often at least, and for as long as a silent host is waited
// for.
constexpr std::uint64_t kPause = 25 * kMs;
constexpr int kPausesGrow = 16;
constexpr int kTries = 5;
constexpr std::uint64_t kPatience = 20'000 * kMs;

std::uint64_t now_ns() noexcept {
  return static_cast<std::uint64_t>(
      std::chrono::nanoseconds(std::chrono::steady_clock::now().time_since_epoch()).count());
}

// A few bytes on a socket that is new: there is room for them.
template <class T>
bool say(int fd, const T& what) noexcept {
  return ::send(fd, &what, sizeof what, MSG_NOSIGNAL | MSG_DONTWAIT) == static_cast<ssize_t>(sizeof what);
}

}  // namespace

// --- to others -------------------------------------------------------------------------------------------------------

void Tcp::take_calls() noexcept {
  // Acquire: pairs with call().
  Connection* called = called_.exchange(nullptr, std::memory_order_acquire);
  while (called != nullptr) {
    connect(*std::exchange(called, called->next_called));
  }
}

void Tcp::connect(Connection& connection) noexcept {
  connection.unsettled.reset(new (std::nothrow) Unsettled);
  connecting_.add(&connection);
  connection.enter(Connection::Stage::kConnects);
  if (connection.unsettled == nullptr) {
    give_up(connection, "no memory");
    return;
  }
  Unsettled& unsettled = *connection.unsettled;
  unsettled.to = read_card(*boot::peer_card(setup_.job, connection.pe));
  sort_by_nearness(&unsettled.to);
  unsettled.error = EHOSTUNREACH;
  const std::uint64_t patience =
      setup_.timeout > 0 ? static_cast<std::uint64_t>(setup_.timeout) * 1000 * kMs : kPatience;
  unsettled.give_up = now_ns() + patience;
  try_addresses(connection);
}

// From the one whose turn it is, until one does not fail at once.
void Tcp::try_addresses(Connection& connection) noexcept {
  Unsettled& unsettled = *connection.unsettled;
  while (unsettled.at < unsettled.to.n) {
    const Address& address = unsettled.to.list[unsettled.at];
    int error = 0;
    int fd = begin_connect(address, unsettled.to.port, setup_.interface, &error);
    if (fd < 0 && error == EMFILE && strangers_.first() != nullptr) {
      drop(*strangers_.first());
      continue;
    }
    epoll_event wanted{EPOLLOUT, {&connection}};
    if (fd >= 0 && ::epoll_ctl(epoll_, EPOLL_CTL_ADD, fd, &wanted) != 0) {
      error = errno;
      (void)::close(std::exchange(fd, -1));
    }
    if (fd >= 0) {
      connection.fd = fd;
      connection.watched = EPOLLOUT;
      connection.enter(Connection::Stage::kConnects);
      unsettled.until = now_ns() + kConnect;
      return;
    }
    unsettled.error = error;
    ++unsettled.at;
  }
  // Machines that have too much to do do not answer at once.
  if (std::exchange(unsettled.timed_out, false) && now_ns() < unsettled.give_up) {
    unsettled.at = 0;
    close_and_wait(connection, kPause);
    return;
  }
  char why[128];
  (void)std::snprintf(why, sizeof why, "no connection to %s: %s%s",
                      text_of(unsettled.to.list[0], unsettled.to.port).text, std::strerror(unsettled.error),
                      unsettled.error == EMFILE ? " (ulimit -n)" : "");
  give_up(connection, why);
}

// Or it has failed.
void Tcp::connected(Connection& connection) noexcept {
  Unsettled& unsettled = *connection.unsettled;
  if (const int error = connect_error(connection.fd); error != 0) {
    unsettled.error = error;
    ++unsettled.at;
    close_and_wait(connection, 0);
    return;
  }
  set_up(connection.fd, setup_.timeout);
  connection.enter(Connection::Stage::kAwaitsChallenge);
  watch_for(connection, EPOLLIN);
}

// The next try is look_at_time()'s: it may close strangers.
void Tcp::close_and_wait(Connection& connection, std::uint64_t ns) noexcept {
  if (connection.fd >= 0) {
    (void)::close(std::exchange(connection.fd, -1));
  }
  connection.enter(Connection::Stage::kConnects);
  connection.unsettled->until = now_ns() + ns;
}

// It may have had too many strangers or too few descriptors; or have been stopped, and taken us for one who says
// nothing. Or this is another machine that has the same address.
void Tcp::come_again(Connection& connection, int error) noexcept {
  Unsettled& unsettled = *connection.unsettled;
  const Address& there = unsettled.to.list[unsettled.at];
  char why[192];
  (void)std::snprintf(why, sizeof why, "%s at %s",
                      unsettled.problem != nullptr ? unsettled.problem
                      : error == 0 ? "no greeting but an end of the connection (are there enough files, "
                                     "ulimit -n?)"
                                   : std::strerror(error),
                      text_of(there, unsettled.to.port).text);
  const bool enough = ++unsettled.tries >= std::max(kTries, unsettled.to.n);
  if (enough && (unsettled.problem != nullptr || now_ns() >= unsettled.give_up)) {
    give_up(connection, why);
    return;
  }
  unsettled.at = (unsettled.at + 1) % unsettled.to.n;
  unsettled.problem = nullptr;
  close_and_wait(connection, kPause * static_cast<std::uint64_t>(std::min(unsettled.tries, kPausesGrow)));
}

void Tcp::give_up(Connection& connection, const char* why) noexcept {
  setup_.failed("connecting", connection.pe, why);
  drop(connection);
}

bool Tcp::challenged(Connection& connection) noexcept {
  Unsettled& unsettled = *connection.unsettled;
  Challenge challenge;
  std::memcpy(&challenge, connection.head, sizeof challenge);
  if (challenge.magic != Challenge::kMagic) {
    unsettled.problem = "somebody who is no PE of this version of Weft";
    return false;
  }
  Greeting& greeting = unsettled.greeting;
  greeting = {setup_.me, connection.pe, challenge.nonce, {}};
  if (!make_nonce(&greeting.of_caller)) {
    unsettled.problem = "no random numbers";
    return false;
  }
  const Hello hello{greeting.from, greeting.to, greeting.of_caller, prove(setup_.job->key, Role::kCaller, greeting)};
  connection.enter(Connection::Stage::kAwaitsWelcome);
  // Who has gone by now is met when the answer is read.
  (void)say(connection.fd, hello);
  return true;
}

bool Tcp::welcomed(Connection& connection) noexcept {
  Welcome welcome;
  std::memcpy(&welcome, connection.head, sizeof welcome);
  if (!same(welcome.proof, prove(setup_.job->key, Role::kListener, connection.unsettled->greeting))) {
    connection.unsettled->problem = "somebody who does not know the job's key";
    return false;
  }
  connecting_.take_out(&connection);
  asking_.add(&connection);
  connection.number = ++last_opened_;
  connection.enter(Connection::Stage::kOpen);
  connection.unsettled.reset();
  const Lock lock(connection.mutex);
  connection.open = true;
  // An error is met again when the answers are read.
  (void)connection.out.release(connection.fd);
  watch(connection);
  return true;
}

// --- from others -----------------------------------------------------------------------------------------------------

void Tcp::accept_some() noexcept {
  for (int accepted = 0; accepted < kAccepted; ++accepted) {
    const int fd = ::accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK);
    if (fd >= 0) {
      take_in(fd);
      continue;
    }
    if (errno == EAGAIN || errno == EWOULDBLOCK) {
      return;
    }
    const bool is_scarce = errno == EMFILE || errno == ENFILE || errno == ENOBUFS || errno == ENOMEM;
    if (is_scarce && !make_room_for_files(errno)) {
      // Who comes waits in the kernel's queue. Else this would be called again at once, and again.
      deaf_until_ = now_ns() + kDeaf;
      epoll_event nothing{0, {nullptr}};
      (void)::epoll_ctl(epoll_, EPOLL_CTL_MOD, listener_, &nothing);
      return;
    }
  }
}

// One who is of the job and is turned away comes again.
bool Tcp::make_room_for_files(int error) noexcept {
  if (error == EMFILE && raise_limit_of_files()) {
    return true;
  }
  if (strangers_.first() != nullptr) {
    drop(*strangers_.first());
    return true;
  }
  if (spare_ < 0) {
    return false;
  }
  (void)::close(spare_);
  const int fd = ::accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC);
  if (fd >= 0) {
    (void)::close(fd);
  }
  spare_ = ::fcntl(epoll_, F_DUPFD_CLOEXEC, 0);
  return fd >= 0;
}

void Tcp::take_in(int fd) noexcept {
  if (strangers_.size() >= kStrangers + setup_.job->job_pes) {
    drop(*strangers_.first());
  }
  set_up(fd, setup_.timeout);
  auto* connection = new (std::nothrow) Connection(Connection::Side::kAnswers, Connection::Stage::kAwaitsHello, fd);
  if (connection == nullptr) {
    (void)::close(fd);
    return;
  }
  connection->unsettled.reset(new (std::nothrow) Unsettled);
  Challenge challenge{Challenge::kMagic, {}};
  epoll_event wanted{EPOLLIN, {connection}};
  connection->watched = EPOLLIN;
  if (connection->unsettled == nullptr || !make_nonce(&challenge.nonce) || !say(fd, challenge) ||
      ::epoll_ctl(epoll_, EPOLL_CTL_ADD, fd, &wanted) != 0) {
    delete connection;
    return;
  }
  connection->unsettled->greeting.of_listener = challenge.nonce;
  connection->unsettled->until = now_ns() + kStranger;
  strangers_.add(connection);
}

bool Tcp::greeted(Connection& connection) noexcept {
  Hello hello;
  std::memcpy(&hello, connection.head, sizeof hello);
  Greeting& greeting = connection.unsettled->greeting;
  greeting = {hello.from, hello.to, greeting.of_listener, hello.nonce};
  // From this PE itself, too: its own atomic operations go this way where all of a job do (WEFT_AMO=network).
  if (hello.to != setup_.me || hello.from < 0 || hello.from >= static_cast<std::int32_t>(setup_.job->job_pes) ||
      !same(hello.proof, prove(setup_.job->key, Role::kCaller, greeting))) {
    return false;
  }
  strangers_.take_out(&connection);
  answering_.add(&connection);
  connection.pe = hello.from;
  connection.number = ++last_opened_;
  connection.may_tell = setup_.most_told;
  connection.open = true;
  connection.enter(Connection::Stage::kOpen);
  // One that it has made before has come to nothing, and its end says nothing of the PE.
  if (Connection* before = std::exchange(from(hello.from), &connection); before != nullptr) {
    before->said_bye = true;
  }
  if (tells_by(hello.from).load(std::memory_order_relaxed) != TellsBy::kMoves) {
    tells_by(hello.from).store(TellsBy::kChooses, std::memory_order_relaxed);
  }
  const Welcome welcome{prove(setup_.job->key, Role::kListener, greeting)};
  connection.unsettled.reset();
  (void)say(connection.fd, welcome);
  return true;
}

// --- time ------------------------------------------------------------------------------------------------------------

void Tcp::look_at_time() noexcept {
  const std::uint64_t now = now_ns();
  look_at_strangers(now);
  for (Connection *connection = connecting_.first(), *next = nullptr; connection != nullptr; connection = next) {
    next = connection->next;
    Unsettled& unsettled = *connection->unsettled;
    if (connection->stage != Connection::Stage::kConnects || now < unsettled.until) {
      continue;  // whose kernel has answered may be stopped for as long as it likes
    }
    if (connection->fd >= 0) {
      unsettled.error = ETIMEDOUT;
      unsettled.timed_out = true;
      ++unsettled.at;
      close_and_wait(*connection, 0);
    }
    try_addresses(*connection);
  }
  if (deaf_until_ != 0 && now >= deaf_until_) {
    deaf_until_ = 0;
    epoll_event wanted{EPOLLIN, {nullptr}};
    (void)::epoll_ctl(epoll_, EPOLL_CTL_MOD, listener_, &wanted);
  }
}

// The oldest is the first whose time is up.
void Tcp::look_at_strangers(std::uint64_t now) noexcept {
  for (Connection* oldest = strangers_.first(); oldest != nullptr && now >= oldest->unsettled->until;
       oldest = strangers_.first()) {
    // It may have said all in time, and this PE have been stopped.
    if (receive_on(*oldest)) {
      oldest->stage == Connection::Stage::kOpen ? watch(*oldest) : drop(*oldest);
    }
  }
}

}  // namespace weft::transport::tcp
