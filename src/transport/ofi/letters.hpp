// Messages as libfabric carries them: what they look like, and the buffers that they are in.
#pragma once

#include <rdma/fi_endpoint.h>

#include <cstddef>
#include <cstdint>
#include <mutex>

#include "transport/ofi/operation.hpp"
#include "transport/transport.hpp"

namespace weft::transport::ofi {

enum class What : std::uint8_t {
  kTell,
  kAnswer,
  kGo,    // the large data may come: there is a place for it
  kSkip,  // the large data is not wanted
  kRoom,  // messages were taken: so many more may be told
  kBeat,  // a sign of life (beats.hpp)
};
inline constexpr int kWhats = 6;

/// What each begins with. Data behind it, or by itself where it is large.
struct Frame {
  std::uint64_t key[2];  // the job's: nobody else tells us anything
  std::int32_t from;
  What what;
  Kind kind;
  std::uint8_t head_bytes;
  std::uint8_t unused;
  std::uint64_t number;  // of a message: its place among those of this sender; of kRoom: how many
  std::uint64_t large;   // the tag that the large data has, or is wanted by; 0: it is behind this
  std::uint64_t bytes;
  std::byte head[kMostHead];
};
static_assert(sizeof(Frame) == 96 && std::is_trivially_copyable_v<Frame>);

/// A buffer for one of them. In order and of one size, so that one registration is good for all.
struct Letter {
  static constexpr std::size_t kBytes = 4096;
  static constexpr std::size_t kMostData = kBytes - sizeof(Frame);

  Posted posted;
  Letter* next;
  std::size_t length;  // of what came
  alignas(64) std::byte bytes[kBytes];

  Frame frame() const noexcept;
  const std::byte* data() const noexcept { return bytes + sizeof(Frame); }
};

/// A fixed number of them.
class Letters {
 public:
  Letters() = default;
  Letters(const Letters&) = delete;
  Letters& operator=(const Letters&) = delete;
  ~Letters();

  bool make(std::size_t n, Doing doing) noexcept;
  Memory memory() const noexcept { return {all_, n_ * sizeof(Letter)}; }
  /// Null: so few are left, or none.
  Letter* take(std::size_t leaving = 0) noexcept;
  void give_back(Letter* letter) noexcept;

 private:
  std::mutex mutex_;  // nothing is locked under it
  Letter* all_ = nullptr;
  std::size_t n_ = 0;
  Letter* free_ = nullptr;
  std::size_t left_ = 0;
};

/// Data of this PE's that is sent by itself, once it is wanted.
struct LargeOut {
  LargeOut* next;
  std::uint64_t tag;
  int pe;
  const std::byte* at;
  std::uint64_t bytes;
  std::uint64_t begun;  // of them, and so many parts are under way
  std::uint32_t under_way;
  Pending::Count* count;  // null: it is a copy of ours, which lies behind this
};

/// Data of another PE's that comes by itself.
struct LargeIn {
  LargeIn* next;
  std::uint64_t tag;
  std::uint64_t begun;
  std::uint32_t under_way;
  bool answered;
  const Handler* handler;
  Arrival arrival;
};

}  // namespace weft::transport::ofi
