// Operations under way, and buffers for data that the program may change meanwhile.
#pragma once

#include <rdma/fi_endpoint.h>

#include <cstddef>
#include <cstdint>
#include <mutex>

#include "transport/transport.hpp"

namespace weft::transport::ofi {

/// Up to so many bytes are copied, so that a put returns before it is complete.
inline constexpr std::size_t kBounceBytes = 8192;

enum class Kind : std::uint8_t { kPut, kGet, kAtomic, kSend, kReceive };

struct Operation {
  fi_context2 context;  // libfabric's while the operation is under way; first, so that it leads back here
  Pending* pending;
  Operation* next;  // of those that are free, or that are to be tried again
  Kind kind;
  int pe;
  // What is still to be done when libfabric says that it is complete.
  bool then;  // another operation: an atomic one at `signal`
  Remote signal;
  Atomic what;
  std::byte* bounce;  // kBounceBytes of them, or null
  void* deliver_to;   // where what came is copied to, or null
  std::size_t deliver_bytes;
  fid_mr* temporary;  // registered for this operation alone
  // Of atomic operations, in memory that the provider knows.
  std::uint64_t operand;
  std::uint64_t compare;
  std::uint64_t fetched;
};
static_assert(offsetof(Operation, context) == 0);

/// A fixed number of them: what bounds the memory and the completions that may pile up.
class Pool {
 public:
  static constexpr std::size_t kOperations = 1024;
  static constexpr std::size_t kBounces = 256;

  /// False: no memory.
  bool make() noexcept;
  /// All that data of operations may lie in, for who has to register it.
  Memory memory() const noexcept { return {memory_, bytes_}; }

  /// Null: all are under way.
  Operation* take(bool with_bounce) noexcept;
  void give_back(Operation* operation) noexcept;

 private:
  std::mutex mutex_;
  void* memory_ = nullptr;
  std::size_t bytes_ = 0;
  Operation* free_ = nullptr;
  std::byte* free_bounces_ = nullptr;  // each holds the address of the next
};

}  // namespace weft::transport::ofi
