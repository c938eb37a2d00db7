// Operations under way, and buffers for data that the program may change meanwhile.
#pragma once

#include <rdma/fi_endpoint.h>

#include <cstddef>
#include <cstdint>
#include <mutex>

#include "transport/transport.hpp"

namespace weft::transport::ofi {

enum class Doing : std::uint8_t { kPut, kGet, kAtomic, kLargeOut, kLargeIn, kLetterOut, kLetterIn };

/// What libfabric is given, and gives back when it is complete.
struct Posted {
  fi_context2 context;  // libfabric's meanwhile; first, so that it leads back here
  Doing doing;
  int pe;
};
static_assert(offsetof(Posted, context) == 0);

struct Operation {
  Posted posted;  // first, so that it leads back here
  Pending::Count* count;
  Operation* next;  // of those that are free, or that are to be tried again
  void* large;      // LargeOut or LargeIn of which it is a part
  // What is still to be done when libfabric says that it is complete.
  bool then;  // another operation: an atomic one at `signal`
  Remote signal;
  Atomic what;
  std::byte* bounce;          // Pool::bounce_bytes() of them, or null
  void* deliver_to;           // where what came is copied to, or null
  std::size_t deliver_bytes;  // of it; of a message that is to come, its length
  fid_mr* temporary;          // registered for this operation alone
  // Of atomic operations, in memory that the provider knows.
  std::uint64_t operand;
  std::uint64_t compare;
  std::uint64_t fetched;
};
static_assert(offsetof(Operation, posted) == 0);

/// A fixed number of them: what bounds the memory and the completions that may pile up. Pages that were never used take
/// no memory.
class Pool {
 public:
  static constexpr std::size_t kOperations = 1024;
  static constexpr std::size_t kMostBounces = 256;
  static constexpr std::size_t kBytesOfBounces = std::size_t{2} << 20;  // fewer of them where they are large

  Pool() = default;
  Pool(const Pool&) = delete;
  Pool& operator=(const Pool&) = delete;
  ~Pool();

  /// Anew, while none is under way, with buffers of so many bytes (0: none). False: no memory, and all is as before.
  bool make(std::size_t bounce_bytes) noexcept;
  std::size_t bounce_bytes() const noexcept { return bounce_bytes_; }
  bool idle() noexcept;
  /// All that data of operations may lie in, for who has to register it.
  Memory memory() const noexcept { return {memory_, bytes_}; }

  /// Null: all are under way.
  Operation* take(bool with_bounce) noexcept;
  void give_back(Operation* operation) noexcept;

 private:
  std::mutex mutex_;
  void* memory_ = nullptr;
  std::size_t bytes_ = 0;
  std::size_t bounce_bytes_ = 0;
  std::size_t taken_ = 0;
  Operation* free_ = nullptr;
  std::byte* free_bounces_ = nullptr;  // each holds the address of the next
};

}  // namespace weft::transport::ofi
