// One connection, with what is under way on it. A PE asks on those that it has made and answers on those of others: two
// PEs that work with each other's memory have two.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include "transport/tcp/address.hpp"
#include "transport/tcp/mailbox.hpp"
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

/// As many as may be under way at a time.
class Pool {
 public:
  static constexpr std::size_t kOperations = 4096;

  Pool() = default;
  Pool(const Pool&) = delete;
  Pool& operator=(const Pool&) = delete;
  ~Pool();
  bool make() noexcept;
  /// Null: all are under way.
  Operation* take() noexcept;
  void give_back(Operation* operation) noexcept;

 private:
  Operation* all_ = nullptr;
  Operation* free_ = nullptr;
};

/// A message of this PE's that the other one does not want yet (allowance.hpp).
struct Offer {
  Offer* next;
  std::uint64_t number;
  const void* from;
  std::uint64_t bytes;
  Pending* pending;
  Pending::Count* count;
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

struct Connection {
  enum class Side : std::uint8_t { kAsks, kAnswers };
  enum class Stage : std::uint8_t { kConnects, kAwaitsChallenge, kAwaitsHello, kAwaitsWelcome, kOpen };
  static constexpr std::size_t kMostHead = sizeof(Request);

  Connection(Side its_side, Stage its_stage, int its_fd) noexcept : side(its_side), fd(its_fd) { enter(its_stage); }
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;
  ~Connection();

  void enter(Stage next_stage) noexcept;

  Side side;
  Stage stage = Stage::kConnects;
  int fd;
  int pe = -1;  // of the other side; -1: it has not proved that it is one
  bool said_bye = false;
  std::uint32_t watched = 0;  // events
  Outbox out;
  // What comes: a head, gathered, and then data, which goes where it belongs.
  std::size_t whole_head = 0;
  std::size_t head_bytes = 0;
  std::byte* into = nullptr;
  std::size_t left = 0;
  alignas(8) std::byte head[kMostHead] = {};
  alignas(8) std::byte word[kWord] = {};  // data that is to appear as one store
  // kAsks
  Queue asked;
  std::uint64_t allowance = 0;  // left for messages that nobody waits for
  Offer* offers = nullptr;
  std::uint32_t n_offers = 0;
  std::uint64_t last_offer = 0;
  // kAnswers
  Request request{};  // whose data comes
  Mailbox::Letter* letter = nullptr;
  std::uint64_t unexpected = 0;   // cost of what has come and nobody waits for
  std::uint32_t offers_here = 0;  // that nobody wants yet
  std::uint64_t taken = 0;        // cost of what was received and the sender does not know of
  Connection* next = nullptr;     // in a chain
  std::unique_ptr<Unsettled> unsettled;
};
static_assert(sizeof(Hello) <= Connection::kMostHead && sizeof(Response) <= Connection::kMostHead);

/// Connections of one kind, the oldest first.
class Chain {
 public:
  Chain() = default;
  Chain(const Chain&) = delete;
  Chain& operator=(const Chain&) = delete;
  ~Chain();
  void add(Connection* connection) noexcept;
  void take_out(Connection* connection) noexcept;
  Connection* first() const noexcept { return first_; }
  std::size_t size() const noexcept { return n_; }

 private:
  Connection* first_ = nullptr;
  Connection** end_ = &first_;
  std::size_t n_ = 0;
};

}  // namespace weft::transport::tcp
