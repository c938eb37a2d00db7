// Messages: what PEs tell each other beside reaching memory. Each message is of a kind, and what becomes of it is said
// by the handler that the receiver has for that kind.
//
// A handler runs inside progress(), on whichever thread lets the network go on, and one at a time in a PE. It is short
// and never waits. Of the transport's functions it may call tell() and nothing else; and it may answer the message.
//
// Messages of one PE to another are placed in the order in which they were told. Their data is complete in any order;
// one without data has arrived before the next one is placed, and so these arrive in order.
// Answers have no order with messages, nor among each other. Each message has room for one answer, which is kept for it
// from the beginning: so answering always succeeds, however many messages wait in front of the other PE. A handler that
// cannot answer yet keeps that room (Answerer::keep), and whoever has it answers when he likes, from any thread: that
// always succeeds too, and never waits. A message has been taken when it has arrived, whether an answer is owed or not:
// what is owed holds up nothing that is told, and how much of it there is, is bounded by who keeps it.
//
// When a connection is lost, messages on it that were placed and have not arrived are lost, which their handlers are
// told; an answer that is owed there goes nowhere. Who has something under way there fails (transport.hpp). A message
// that is done is nothing under way: who waits for its answer hears of the end by Setup::gone, or with the job.
// This is frozen: message layers, windows and shared pages stand on it. Record 0039 says what was tried on it before.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>

#include "boot/job.hpp"

namespace weft::transport {

/// Numbers of kinds are the same in all PEs of a job, so each room and each front end has numbers of its own: the first
/// ones are the core's, and each front end has as many.
using Kind = std::uint8_t;
inline constexpr int kKindsOfEach = 16;
inline constexpr int kKinds = kKindsOfEach * (1 + boot::kInterfaces);
static_assert(kKinds <= 256);
constexpr Kind first_kind_of(boot::Interface interface) noexcept {
  return static_cast<Kind>(kKindsOfEach * (1 + static_cast<int>(interface)));
}

/// Of a head: it fills one cache line with what the network adds to it.
inline constexpr std::size_t kMostHead = 48;
/// Of the data of a message: so much that sums with it do not wrap.
inline constexpr std::uint64_t kMostData = std::uint64_t{1} << 40;
/// Of the data of an answer, which is always copied.
inline constexpr std::size_t kMostAnswer = 65536;
/// Messages to one PE that it has not taken yet, at most; tests have fewer (Setup). tell() says kAgain beyond.
inline constexpr std::uint32_t kMostTold = 64;

/// What is told.
struct Message {
  Kind kind = 0;
  const void* head = nullptr;
  std::size_t head_bytes = 0;
  const void* data = nullptr;
  std::uint64_t bytes = 0;
};

enum class Told : std::uint8_t {
  kDone,    // the data may be changed
  kPosted,  // it stays as it is until `pending` says that all is complete
  kAgain,   // nothing was told, as there is no room: the network has to go on first
};

/// Where the data of a message goes; to nowhere: it is read and forgotten. The cookie is the handler's.
struct Landing {
  void* at = nullptr;
  void* cookie = nullptr;
};

/// A message that comes.
struct Arrival {
  int pe = -1;  // who has told it
  Kind kind = 0;
  bool is_answer = false;
  std::size_t head_bytes = 0;
  std::uint64_t bytes = 0;  // of data
  alignas(8) std::byte head[kMostHead] = {};
  Landing landing;  // as the handler has said
};

/// The room of an answer that a handler has kept. One of the two, once; then it is gone. Before close().
class Owed {
 public:
  /// From any thread, under any lock, in handlers too. The data is copied. False: it is too large, and is still owed.
  virtual bool answer(const Message& what) noexcept = 0;
  /// There is no answer.
  virtual void give_back() noexcept = 0;

 protected:
  ~Owed() = default;
};

/// How a handler answers.
class Answerer {
 public:
  /// Once for each message, either when it is placed or when it has arrived. The data is copied. False: nothing was
  /// sent, as the message is an answer itself, was answered already, or the answer is too large.
  virtual bool answer(const Message& what) noexcept = 0;
  /// Instead of answering. Null: as the message is an answer itself or was answered already, or there is no memory.
  virtual Owed* keep() noexcept = 0;

 protected:
  ~Answerer() = default;
};

struct Handler {
  /// The head is here. Says where arrival.bytes of data go.
  Landing (*place)(void* self, const Arrival& arrival, Answerer& answerer) noexcept = nullptr;
  /// All of it is here.
  void (*arrived)(void* self, const Arrival& arrival, Answerer& answerer) noexcept = nullptr;
  /// The rest of its data will never come. May be null.
  void (*lost)(void* self, const Arrival& arrival) noexcept = nullptr;
  void* self = nullptr;
};

/// The handlers of a PE: a list, so that the network knows none of those who use it by name.
class Kinds {
 public:
  /// Before anybody can tell this PE something of that kind, and once: it stays. False: there is no such number.
  bool add(Kind kind, const Handler& handler) noexcept {
    if (kind >= kKinds) {
      return false;
    }
    if (!known_[kind].load(std::memory_order_relaxed)) {
      handlers_[kind] = handler;
      // Release: who finds the handler finds it whole. Another front end may add its own while the network goes on.
      known_[kind].store(true, std::memory_order_release);
    }
    return true;
  }
  /// Null: there is none.
  const Handler* find(Kind kind) const noexcept {
    const bool known = kind < kKinds && known_[kind].load(std::memory_order_acquire);
    return known ? &handlers_[kind] : nullptr;
  }

 private:
  std::array<Handler, kKinds> handlers_{};
  std::array<std::atomic<bool>, kKinds> known_{};
};

/// Those of this process.
Kinds& kinds() noexcept;

}  // namespace weft::transport
