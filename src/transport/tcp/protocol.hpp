// What goes over a connection. The PE that has connected asks, the other one answers in the order of the questions, so
// neither names the other's operations. All nodes have processors of one kind (boot::kJobLayout is checked before), so
// numbers travel as they lie in memory.
//
// First each proves that it knows the job's key, which itself is never sent (proof.hpp):
//
//     who listens   Challenge: a number that is used once
//     who connects  Hello: who it is and whom it means, a number of its own, and a proof of all that
//     who listens   Welcome: a proof too; from here on requests come
//
// Who connects sends nothing before it is welcome: until then the other side may close, and it comes again.
#pragma once

#include <cstddef>
#include <cstdint>

#include "transport/transport.hpp"

namespace weft::transport::tcp {

/// Used in one greeting only, so that what somebody has overheard serves in no other.
struct Nonce {
  std::uint8_t bytes[16];
};
struct Proof {
  std::uint8_t bytes[32];
};

struct Challenge {
  static constexpr std::uint64_t kMagic = 0x3470'6374'7466'6577;
  std::uint64_t magic;
  Nonce nonce;
};
static_assert(sizeof(Challenge) == 24);

struct Hello {
  std::int32_t from;
  std::int32_t to;
  Nonce nonce;
  Proof proof;
};
static_assert(sizeof(Hello) == 56);

struct Welcome {
  Proof proof;
};
static_assert(sizeof(Welcome) == 32);

enum class Ask : std::uint8_t {
  kPut,       // with data; done
  kPutThen,   // with data; done when the atomic operation on the signal is
  kGet,       // data, or the value of up to 8 bytes
  kAtomic,    // done
  kFetch,     // the value there was
  kTell,      // a message (kinds.hpp), whose data follows
  kToldBack,  // the answer to one that came as kTells, with data
  kTaken,     // of those: so many messages more may be told
  kMove,      // nothing more is told here: moved
  kBye,       // nothing more until the next shmem_init, and the connection may end; no answer
};
inline constexpr int kAskKinds = 10;

/// One cache line. The head of a message, or of its answer, lies in the words behind the number of bytes.
struct Request {
  Ask ask;
  Op op;
  Type type;
  Kind kind;                // of a message
  std::uint8_t head_bytes;  // and of its head
  std::uint8_t taken;       // kTell: as kTaken
  std::uint8_t unused[2];
  std::uint64_t bytes;  // of data that follow, or that are wanted; kTaken: messages
  std::uint64_t key;    // of the region
  std::uint64_t offset;
  std::uint64_t operand;
  std::uint64_t compare;
  std::uint64_t signal_key;
  std::uint64_t signal_offset;
};
static_assert(sizeof(Request) == 64 && sizeof(Request) - offsetof(Request, key) == kMostHead);

/// From kTold on they come at any time, between the answers to other questions. kTells is no answer but a message, as
/// kTell is.
enum class Answer : std::uint32_t { kDone, kValue, kData, kTold, kRoom, kTells, kMoved };

struct Response {
  Answer answer;
  std::uint32_t times;  // kDone: so many operations; kTells: as kRoom
  std::uint64_t value;  // kValue; kData, kTold, kTells: bytes of data; kRoom: so many messages more may be told
};
static_assert(sizeof(Response) == 16);

/// Behind kTold and kTells, and then the data: what a handler answers, or a message.
struct AnswerHead {
  Kind kind;
  std::uint8_t head_bytes;
  std::uint8_t unused[6];
  std::byte head[kMostHead];
};
static_assert(sizeof(AnswerHead) == 56);

/// Up to here a put is one store and a get one load, when aligned: flags are read while they are written.
inline constexpr std::size_t kWord = 8;

}  // namespace weft::transport::tcp
