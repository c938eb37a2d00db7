// One connection, with what is under way on it. A PE asks on those that it has made and answers on those of others: two
// PEs that work with each other's memory have two. Messages go both ways on one of them (tell.cpp).
#pragma once

#include <pthread.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>

#include "transport/tcp/address.hpp"
#include "transport/tcp/outbox.hpp"
#include "transport/tcp/proof.hpp"
#include "transport/tcp/protocol.hpp"

namespace weft::transport::tcp {

/// An operation of this PE's that the other one has not answered yet.
struct Operation {
  Operation* next;
  Pending::Count* count;
  void* to;  // where the answer goes, or null
  std::size_t bytes;
  Ask ask;
};

/// Those under way, in the order of the answers to come.
class Queue {
 public:
  void push(Operation* operation) noexcept {
    operation->next = nullptr;
    (last_ == nullptr ? first_ : last_->next) = operation;
    last_ = operation;
  }
  Operation* pop() noexcept {
    Operation* operation = first_;
    first_ = operation->next;
    if (first_ == nullptr) {
      last_ = nullptr;
    }
    return operation;
  }
  Operation* first() const noexcept { return first_; }

 private:
  Operation* first_ = nullptr;
  Operation* last_ = nullptr;
};

/// As many as may be under way with one PE at a time. They are made as they are needed, and stay.
class Pool {
 public:
  static constexpr std::size_t kOperations = 4096;

  Pool() = default;
  Pool(const Pool&) = delete;
  Pool& operator=(const Pool&) = delete;
  ~Pool();
  /// Null: all are under way, or there is no memory for more.
  Operation* take() noexcept { return free_ != nullptr || make() ? take_free() : nullptr; }
  /// None will ever be given back.
  bool has_none() const noexcept { return made_ == 0; }
  void give_back(Operation* operation) noexcept {
    operation->next = free_;
    free_ = operation;
  }

 private:
  static constexpr std::size_t kAtATime = 64;
  struct Block {
    Block* next;
    Operation operations[kAtATime];
  };
  bool make() noexcept;
  Operation* take_free() noexcept {
    Operation* operation = free_;
    free_ = operation->next;
    return operation;
  }

  Block* blocks_ = nullptr;
  Operation* free_ = nullptr;
  std::size_t made_ = 0;
};

/// Whether a small put may wait for what follows it. A program that has put data, a fence and a flag again and again
/// does so once more; who puts and then computes is not to have its data late. So a put is held back after some rows
/// that ended with a fence and a flag, and each time that another thread had to send what was held, as the program had
/// gone elsewhere, twice as many are asked for.
class FlagsExpected {
 public:
  /// Of an operation, before it is sent: so many fences there were until now. True: it is the first one behind a fence.
  bool next(std::uint32_t fences, bool is_small_put) noexcept {
    const bool behind_fence = fences != fences_;
    fences_ = fences;
    if (behind_fence && has_data_ && ++rows_ == wanted_ + kForgiven) {
      wanted_ = wanted_ > kWanted ? wanted_ / 2 : kWanted;
      rows_ = wanted_;
    }
    has_data_ = is_small_put && !behind_fence;
    return behind_fence;
  }
  bool expected() const noexcept { return rows_ >= wanted_; }
  void were_wrong() noexcept {
    rows_ = 0;
    wanted_ = wanted_ < kMostWanted ? wanted_ * 2 : kMostWanted;
  }

 private:
  static constexpr std::uint32_t kWanted = 2;
  static constexpr std::uint32_t kMostWanted = 1U << 20;
  // So many rows in which a put was held back, and rightly: the other thread may have come between a put and its flag.
  static constexpr std::uint32_t kForgiven = 64;
  std::uint32_t fences_ = 0;
  std::uint32_t rows_ = 0;
  std::uint32_t wanted_ = kWanted;
  bool has_data_ = false;
};

/// What is to be known only until a connection is open.
struct Unsettled {
  Greeting greeting{};
  std::uint64_t until = 0;  // ns: then something has to have happened, or is to be done
  // Of who asks. Where the other PE may be reached, and how far that has been tried.
  Addresses to;
  int at = 0;
  int error = 0;
  bool timed_out = false;
  std::uint64_t give_up = 0;  // ns
  int tries = 0;              // that led to somebody who then closed
  const char* problem = nullptr;
};

/// The progress lock guards all of it, but for what this PE asks: see there.
struct Connection {
  enum class Side : std::uint8_t { kAsks, kAnswers };
  enum class Stage : std::uint8_t { kIdle, kConnects, kAwaitsChallenge, kAwaitsHello, kAwaitsWelcome, kOpen };
  static constexpr std::size_t kMostHeadBytes = sizeof(Request);

  Connection(Side its_side, Stage its_stage, int its_fd) noexcept : side(its_side), fd(its_fd) { enter(its_stage); }
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;
  ~Connection();

  void enter(Stage next_stage) noexcept;

  Side side;
  Stage stage = Stage::kIdle;
  int fd;
  int pe = -1;  // of the other side; -1: it has not proved that it is one
  bool said_bye = false;
  // What comes: a head, gathered, and then data, which goes where it belongs; into null: nowhere.
  std::size_t whole_head = 0;
  std::size_t head_bytes = 0;
  std::byte* into = nullptr;
  std::size_t left = 0;
  alignas(8) std::byte head[kMostHeadBytes] = {};
  alignas(8) std::byte word[kWord] = {};  // data that is to appear as one store
  // A message that comes, on either side; its handler is null where none does.
  const Handler* handler = nullptr;
  Arrival arrival;
  bool answered = false;
  std::uint32_t taken = 0;   // messages that were taken and the sender does not know of; kAsks: with the mutex
  std::uint64_t number = 0;  // those before it, of all that were opened
  bool is_told_on = false;   // kAsks: a message has come
  // kAnswers
  Request request{};           // whose data comes
  Connection* next = nullptr;  // in a chain
  std::unique_ptr<Unsettled> unsettled;

  // What this PE asks: of any thread that has the mutex, and so is the descriptor while `open`. On the side that
  // answers nobody but the thread with the progress lock has to do with the first two.
  std::mutex mutex;
  Outbox out;
  std::uint32_t watched = 0;  // events
  bool open = false;          // requests may be sent; before that they are kept
  bool called = false;        // somebody has asked for a connection
  int error = 0;              // of a send; met again when the answers are read
  Queue asked;
  Pool pool;
  std::uint32_t may_tell = 0;  // so many messages
  bool has_told = false;
  Connection* next_called = nullptr;
  Ask last_ask = Ask::kBye;
  FlagsExpected flags;
  bool holds = false;    // what is gathered waits for a flag
  pthread_t holder{};    // the thread that has put it
  bool gathers = false;  // it is in the list of those
  Connection* next_gathering = nullptr;
};
static_assert(sizeof(Hello) <= Connection::kMostHeadBytes && sizeof(AnswerHead) <= Connection::kMostHeadBytes);

/// Connections of one kind, the oldest first.
class Chain {
 public:
  Chain() = default;
  Chain(const Chain&) = delete;
  Chain& operator=(const Chain&) = delete;
  void add(Connection* connection) noexcept;
  void take_out(Connection* connection) noexcept;
  Connection* first() const noexcept { return first_; }
  std::size_t size() const noexcept { return n_; }
  /// The end of all of them.
  void clear() noexcept;

 private:
  Connection* first_ = nullptr;
  Connection** end_ = &first_;
  std::size_t n_ = 0;
};

}  // namespace weft::transport::tcp
