// One connection, with what is under way on it. A PE asks on those that it has made and answers on those of others: two
// PEs that work with each other's memory have two.
#pragma once

#include <cstddef>
#include <cstdint>

#include "transport/tcp/mailbox.hpp"
#include "transport/tcp/outbox.hpp"
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

struct Connection {
  enum class Side : std::uint8_t { kAsks, kAnswers };
  static constexpr std::size_t kMostHead = sizeof(Request);

  Connection(Side its_side, int its_fd) noexcept : side(its_side), fd(its_fd) {}

  Side side;
  int fd;
  int pe = -1;  // of the other side; -1: it has not said so yet
  bool said_bye = false;
  bool watched_for_room = false;
  Outbox out;
  // What comes: a head, gathered, and then data, which goes where it belongs.
  std::size_t head_bytes = 0;
  std::byte* into = nullptr;
  std::size_t left = 0;
  alignas(8) std::byte head[kMostHead] = {};
  alignas(8) std::byte word[kWord] = {};  // data that is to appear as one store
  Queue asked;                            // kAsks
  Request request{};                      // kAnswers: whose data comes
  Mailbox::Letter* letter = nullptr;
  Connection* next = nullptr;  // of all that answer

  std::size_t next_head_bytes() const noexcept {
    if (side == Side::kAsks) {
      return sizeof(Response);
    }
    return pe < 0 ? sizeof(Hello) : sizeof(Request);
  }
};

}  // namespace weft::transport::tcp
