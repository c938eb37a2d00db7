// Buffered sends: a buffer that the program has given, or as much memory as they take, and the messages that lie in it
// until they have gone.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <mutex>

#include "msg/data.hpp"
#include "msg/request.hpp"

namespace weft::msg {

/// What a message takes of an attached buffer beside its data, at most.
inline constexpr std::size_t kBufferedOverhead = 512;

class Attached {
 public:
  Attached() = default;
  Attached(const Attached&) = delete;
  Attached& operator=(const Attached&) = delete;

  /// False: there is one already. With `at` null it takes memory as it needs it, without bound.
  bool attach(void* at, std::size_t bytes) noexcept;
  // Relaxed: who sends looks again under the lock.
  bool attached() const noexcept { return attached_.load(std::memory_order_relaxed); }
  /// All that was sent from it has gone.
  bool empty() noexcept;
  /// Waits until it is empty. Messages that are sent meanwhile are waited for as well.
  void flush() noexcept;
  /// Waits, and gives back what was attached.
  Stretch detach() noexcept;

  /// Returns at once; the data may be changed. kNoMemory: there is no room for it.
  Fault send(const To& to, const Data& data) noexcept;

 private:
  struct Block;
  Block* find_room(std::size_t bytes) noexcept;
  static void gone(Request& request) noexcept;

  std::mutex mutex_;  // of what follows; taken inside the room by gone(), so nothing of it is called under it
  std::atomic<bool> attached_{false};  // changed under it only
  Stretch given_;
  std::byte* begin_ = nullptr;
  std::size_t bytes_ = 0;
  Block* first_ = nullptr;  // by address, or of memory of its own in any order
};

}  // namespace weft::msg
