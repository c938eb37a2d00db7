// What goes over a connection. The PE that has connected asks, the other one answers in the order of the questions, so
// neither names the other's operations. All nodes have processors of one kind (boot::kJobLayout is checked before), so
// numbers travel as they lie in memory.
#pragma once

#include <cstdint>

#include "transport/transport.hpp"

namespace weft::transport::tcp {

/// The first that is said. A job's sockets accept only the job.
struct Hello {
  static constexpr std::uint64_t kMagic = 0x3170'6374'7466'6577;
  std::uint64_t magic;
  std::uint64_t key[2];  // boot::JobHeader::key
  std::int32_t from;
  std::int32_t to;
};
static_assert(sizeof(Hello) == 32);

enum class Ask : std::uint8_t {
  kPut,      // with data; done
  kPutThen,  // with data; done when the atomic operation on the signal is
  kGet,      // data, or the value of up to 8 bytes
  kAtomic,   // done
  kFetch,    // the value there was
  kMessage,  // with data; no answer
  kBye,      // nothing more until the next shmem_init, and the connection may end; no answer
};

struct Request {
  Ask ask;
  Region region;
  Op op;
  Type type;
  Region signal_region;
  std::uint8_t unused[3];
  std::uint64_t bytes;   // of data that follow, or that are wanted
  std::uint64_t offset;  // of messages the tag
  std::uint64_t operand;
  std::uint64_t compare;
  std::uint64_t signal_offset;
};
static_assert(sizeof(Request) == 48);

enum class Answer : std::uint32_t { kDone, kValue, kData };

struct Response {
  Answer answer;
  std::uint32_t times;  // kDone: so many operations
  std::uint64_t value;  // kValue; kData: bytes that follow
};
static_assert(sizeof(Response) == 16);

/// Up to here a put is one store and a get one load, when aligned: flags are read while they are written.
inline constexpr std::size_t kWord = 8;

}  // namespace weft::transport::tcp
