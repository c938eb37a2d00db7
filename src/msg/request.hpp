// A send or a receive under way. The caller gives the memory: on its stack, or in a request of a front end.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "msg/data.hpp"
#include "msg/envelope.hpp"
#include "reach/card.hpp"
#include "transport/transport.hpp"

namespace weft::msg {

/// What became of a message. Where it is not kNone the request is complete all the same.
enum class Fault : std::uint8_t {
  kNone,
  kTruncated,    // the message was longer than the receive had room for; what fits has been received
  kTheirMemory,  // the sender's data is not there
  kOwnMemory,    // the memory given here is not there
  kNoMemory,     // no memory for it, or no room in an attached buffer
  kWrongData,    // safe mode: the signatures differ; received all the same
};

/// Of a completed receive, or of what a probe has found. `bytes` is what came; of a probe what would come.
struct Status {
  std::int32_t source = kAnySource;
  std::int32_t tag = kAnyTag;
  std::uint64_t bytes = 0;
  int pe = -1;
  Fault fault = Fault::kNone;
  bool cancelled = false;
  std::uint32_t signature = 0;  // as its sender has told it
  std::uint64_t came = 0;       // kTruncated: how many bytes it has
};

/// Whom a message is for. `source` is what receivers know this PE by in the context.
struct To {
  std::uint32_t context = 0;
  int pe = 0;
  std::int32_t source = 0;
  std::int32_t tag = 0;
  std::uint32_t signature = 0;  // 24 bits of a hash of the data's types; 0: not told, and not compared
};

/// Whom a message is to be of. `pe` is that of `source`, or -1 with kAnySource.
struct From {
  std::uint32_t context = 0;
  int pe = -1;
  std::int32_t source = kAnySource;
  std::int32_t tag = kAnyTag;
  std::uint32_t signature = 0;
};

enum class Mode : std::uint8_t {
  kStandard,
  kSynchronous,  // complete when the receiver has begun to receive it
  kReady,        // the receive is there already: as standard
};

struct Ticket;

/// Its members are the room's own. It stays where it is from its start until it is complete, and may be started again
/// then. Until its first start, and when it is complete, it may be destroyed.
struct Request {
  enum class State : std::uint8_t { kIdle, kPosted, kWaiting, kMoving, kDone };

  Request() = default;
  Request(const Request&) = delete;
  Request& operator=(const Request&) = delete;

  /// Acquire: what was received is visible, and the status.
  bool done() const noexcept { return state.load(std::memory_order_acquire) == State::kDone; }

  // Of a posted receive: beside which ones it stands.
  Request* next = nullptr;
  Request* previous = nullptr;
  std::uint64_t order = 0;  // of posting
  std::atomic<State> state{State::kIdle};
  bool is_send = false;
  bool is_blocking = false;  // the caller waits for it at once
  Mode mode = Mode::kStandard;
  std::uint32_t context = 0;
  std::int32_t source = 0;
  std::int32_t tag = 0;
  std::uint32_t signature = 0;
  int pe = -1;
  Data data;
  Status status;
  // Of a message that goes by more than one entry.
  Envelope envelope;
  Ticket* ticket = nullptr;
  std::uint64_t moved = 0;
  std::uint64_t wanted = 0;  // bytes that are to be moved
  std::uint64_t began_ns = 0;
  std::uint64_t fetched = 0;     // pieces
  std::uint32_t piece_bits = 0;  // of two copies
  std::uint64_t stage = 0;       // of a send by two copies, as is the next one
  std::uint32_t stage_begin = 0;
  reach::Place shown;        // of this PE's memory: a described send's data, or where a receive's goes that both copy
  std::uint64_t list;        // of a described send: the block that tells which pieces of it are meant; 0: all
  std::uint32_t pieces = 0;  // of a receive that both copy, as is the next one; 0: it is none
  bool is_refused = false;   // the rest goes by two copies
  bool is_described = false;
  bool is_copying = false;
  bool is_with_receiver = false;  // has been offered its copy by both
  bool both_directions = false;
  bool is_watched = false;        // a send whose answer is looked for in its ticket
  bool is_begun = false;          // a receive whose sender brings its data unasked
  std::uint64_t came_before = 0;  // of these pieces, those that were there at the first look
  // With another node: what this PE calls it there, what the other one does, and what of its data is under way.
  std::uint32_t number = UINT32_MAX;
  std::uint32_t their_number = 0;
  bool awaits_answer = false;
  bool is_asked_back = false;  // a send that is to be withdrawn, if its receiver has not taken it
  std::uint64_t piece = 0;
  transport::Pending pending;
  void* packed = nullptr;
  /// Called once when it is complete, if not null, and then nobody waits for it: by any thread, inside the room, so it
  /// calls nothing of it and may free the request.
  void (*let_go)(Request& request) noexcept = nullptr;
  void* cookie = nullptr;  // the caller's
};

}  // namespace weft::msg
